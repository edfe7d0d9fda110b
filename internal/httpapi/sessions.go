package httpapi

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/ratelimit"
)

// sessionCookie holds a session's token.
const sessionCookie = "dealflow_session"

// wireUser is a person as they see themselves.
type wireUser struct {
	ID         uuid.UUID `json:"id"`
	Email      string    `json:"email"`
	Verified   bool      `json:"email_verified"`
	HasFactor  bool      `json:"totp_enabled"`
	Name       string    `json:"name"`
	PictureURL *string   `json:"picture_url"`
	CreatedAt  *string   `json:"created_at"`
	UpdatedAt  *string   `json:"updated_at"`
}

// wireMe is who the caller is and where they belong.
type wireMe struct {
	User     wireUser      `json:"user"`
	Accounts []wireAccount `json:"accounts"`
}

// wireEntry is what a login answers. The token is in the cookie alone.
type wireEntry struct {
	wireMe

	Session wireSession `json:"session"`
}

type wireSession struct {
	ID        uuid.UUID `json:"id"`
	ExpiresAt *string   `json:"expires_at"`
}

func (a *API) login(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	in := account.Credentials{
		Email: body.RequiredText("email"), Password: body.RequiredText("password"), TOTPCode: body.OptionalText("totp_code"),
	}
	if err := body.Err(nil); err != nil {
		return err
	}
	entry, err := a.Accounts.Login(c.Request.Context(), in, a.guard(c))
	if err != nil {
		return err
	}
	return a.welcome(c, http.StatusOK, entry)
}

// register is for services that let anybody in.
func (a *API) register(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	in := account.Registration{
		Email: body.RequiredText("email"), Name: body.RequiredText("name"), Password: body.RequiredText("password"),
		AccountName: body.RequiredText("account_name"),
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	if !a.SignupOpen {
		return fault.New(fault.Forbidden, "signup_closed")
	}
	if used := a.Attempts.Allow(c.Request.Context(), "register:"+source(c)); !used.Allowed {
		return tooMany(c, used)
	}
	entry, err := a.Accounts.Register(c.Request.Context(), in, pipeline.Seed)
	if err != nil {
		return err
	}
	return a.welcome(c, http.StatusCreated, entry)
}

func (a *API) logout(c *gin.Context) error {
	caller, _ := callerOf(c)
	if err := a.Accounts.Logout(c.Request.Context(), caller); err != nil {
		return err
	}
	if caller.SessionID != uuid.Nil {
		http.SetCookie(c.Writer, a.cookie("", -1))
	}
	return a.ok(c, gin.H{"message": "Logged out"})
}

func (a *API) me(c *gin.Context) error {
	me, err := a.describe(c.Request.Context(), identityOf(c))
	if err != nil {
		return err
	}
	return a.okTagged(c, me)
}

func (a *API) describe(ctx context.Context, who *postgres.Identity) (wireMe, error) {
	self, err := a.Accounts.Self(ctx, who)
	if err != nil {
		return wireMe{}, err
	}
	return wireMe{Accounts: showAll(self.Accounts, showAccount), User: wireUser{
		ID: self.ID, Email: self.Email, Verified: self.ProvenAt != nil, HasFactor: self.HasFactor, Name: self.Name,
		PictureURL: self.PictureURL,
		CreatedAt:  wire.Time(self.CreatedAt), UpdatedAt: wire.Time(self.UpdatedAt),
	}}, nil
}

// welcome answers whoever just came in: from here on they are the caller.
func (a *API) welcome(c *gin.Context, status int, entry account.Entry) error {
	http.SetCookie(c.Writer, a.cookie(entry.Token, int(a.Accounts.SessionLifetime().Seconds())))
	a.know(c, entry.UserID)
	return a.greet(c, status, entry.Session)
}

// greet is welcome without the cookie, which is sent once.
func (a *API) greet(c *gin.Context, status int, entry account.Session) error {
	me, err := a.describe(c.Request.Context(), postgres.AsUser(entry.UserID))
	if err != nil {
		return err
	}
	c.Set(callerKey, account.Caller{UserID: entry.UserID, SessionID: entry.ID})
	return a.answer(c, status, wireEntry{
		wireMe: me, Session: wireSession{ID: entry.ID, ExpiresAt: wire.Time(entry.ExpiresAt)},
	})
}

// cookie is out of reach for scripts and for requests that another site makes.
func (a *API) cookie(token string, maxAge int) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure where the service is reached by https, as decided
		Name: sessionCookie, Value: token, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(a.PublicURL, "https://"),
	}
}

// guard locks out whoever guesses passwords until the minute of the clock is over: one address for all users, one
// address for a user, and, more slowly, all addresses for a user. A browser that the user logged in with before is
// counted by itself, so that nobody else can lock it out. Only wrong passwords count, so that a team behind one
// address can log in at once.
func (a *API) guard(c *gin.Context) account.Guard {
	attempts := func(email string, owner uuid.UUID) map[string]*ratelimit.Limiter {
		hash := sha256.Sum256([]byte(strings.ToLower(email))) // of any length, and nobody's business
		user, address := fmt.Sprintf("user:%x", hash[:16]), source(c)
		if device := a.devices.known(c.Request, owner); device != "" {
			return map[string]*ratelimit.Limiter{"device:" + device: a.Guesses}
		}
		return map[string]*ratelimit.Limiter{
			"login:" + address: a.Attempts, user: a.Attempts, user + ":" + address: a.Guesses,
		}
	}
	return account.Guard{
		Allow: func(email string, owner uuid.UUID) error {
			for subject := range attempts(email, owner) {
				if refusal, locked := a.lockout.left(subject, a.Now()); locked {
					return tooMany(c, refusal)
				}
			}
			return nil
		},
		Failed: func(email string, owner uuid.UUID) error {
			var refusal error
			for subject, limiter := range attempts(email, owner) {
				if guess := limiter.Allow(c.Request.Context(), subject); !guess.Allowed {
					a.lockout.lock(subject, guess, a.Now())
					refusal = tooMany(c, guess)
				}
			}
			return refusal
		},
	}
}
