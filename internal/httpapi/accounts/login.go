package accounts

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/ratelimit"
)

// wireEntry is the answer to a login, a registration or an accepted invitation. The session's token is not in it, but
// only in the cookie.
type wireEntry struct {
	wireMe

	Session wireSession `json:"session"`
}

type wireSession struct {
	ID        uuid.UUID `json:"id"`
	ExpiresAt *string   `json:"expires_at"`
}

// Login begins a session for the user with this email address and password, and sets its cookie. The errors are those
// of the body (see request.Object) and of signin.Service.Login.
func (h *Handlers) Login(c *gin.Context) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	in := signin.Credentials{
		Email: body.RequiredText("email"), Password: body.RequiredText("password"), TOTPCode: body.OptionalText("totp_code"),
	}
	if err := body.Err(nil); err != nil {
		return err
	}
	entry, err := h.SignIn.Login(c.Request.Context(), in, h.Guard(c))
	if err != nil {
		return err
	}
	return h.welcome(c, http.StatusOK, entry)
}

// Register creates a user with an account of their own, begins a session, and sets its cookie. The error is Forbidden
// if the service does not let anybody register, RateLimited after too many registrations from the client's address, and
// otherwise that of the body (see request.Object) or of signin.Service.Register.
func (h *Handlers) Register(c *gin.Context) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	in := signin.Registration{
		Email: body.RequiredText("email"), Name: body.RequiredText("name"), Password: body.RequiredText("password"),
		AccountName: body.RequiredText("account_name"),
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	if !h.SignupOpen {
		return fault.New(fault.Forbidden, "signup_closed")
	}
	if used := h.ManyGuesses.Allow(c.Request.Context(), "register:"+limits.Source(c)); !used.Allowed {
		return limits.TooMany(c, used)
	}
	entry, err := h.SignIn.Register(c.Request.Context(), in, pipeline.Seed)
	if err != nil {
		return err
	}
	return h.welcome(c, http.StatusCreated, entry)
}

// Logout ends the session of the request, and deletes its cookie. For a caller with an API key it does nothing.
func (h *Handlers) Logout(c *gin.Context, caller account.Caller) error {
	if err := h.SignIn.Logout(c.Request.Context(), caller); err != nil {
		return err
	}
	if caller.SessionID != uuid.Nil {
		h.Leave(c)
	}
	return respond.Message(c, "Logged out")
}

// welcome sets the cookies of a user who has just logged in, and answers as greet does.
func (h *Handlers) welcome(c *gin.Context, status int, entry signin.Entry) error {
	h.Enter(c, entry)
	return h.greet(c, status, entry.Session)
}

// greet answers with the user, at most account.Most of their accounts, and the session, and makes the user the caller
// of the request. It sets no cookie, so that it can also answer a repeated request, for which the token of the session
// is not stored.
func (h *Handlers) greet(c *gin.Context, status int, entry signin.Session) error {
	me, err := h.describe(c.Request.Context(), postgres.AsUser(entry.UserID))
	if err != nil {
		return err
	}
	route.SetCaller(c, account.Caller{UserID: entry.UserID, SessionID: entry.ID})
	return respond.Answer(c, status, wireEntry{
		wireMe: me, Session: wireSession{ID: entry.ID, ExpiresAt: wire.Time(entry.ExpiresAt)},
	})
}

// Guard returns a guard that refuses passwords and codes after too many wrong ones, until the window of the limiter
// ends. It counts wrong ones by FewGuesses for the user from this address, and by ManyGuesses for all users from this
// address and for the user from all addresses. But in a browser in which the user has logged in before, it counts them
// for that browser alone, by FewGuesses, so that nobody else can lock it out. Right passwords are not counted, so that
// a team behind one address can log in at the same time.
func (h *Handlers) Guard(c *gin.Context) signin.Guard {
	limiters := func(email string, owner uuid.UUID) map[string]*ratelimit.Limiter {
		hash := sha256.Sum256([]byte(strings.ToLower(email))) // addresses may be long, and are not to be in Redis
		user, address := fmt.Sprintf("user:%x", hash[:16]), limits.Source(c)
		if device := h.Devices.known(c.Request, owner); device != "" {
			return map[string]*ratelimit.Limiter{"device:" + device: h.FewGuesses}
		}
		return map[string]*ratelimit.Limiter{
			"login:" + address: h.ManyGuesses, user: h.ManyGuesses, user + ":" + address: h.FewGuesses,
		}
	}
	return signin.Guard{
		Allow: func(email string, owner uuid.UUID) error { return h.Guesses.Allow(c, limiters(email, owner)) },
		Failed: func(email string, owner uuid.UUID) error {
			return h.Guesses.Failed(c, limiters(email, owner))
		},
	}
}
