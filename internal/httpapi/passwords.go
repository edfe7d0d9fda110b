package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/wire"
)

// wireLogin is a session in the list of a user's own; Current is the one that asks.
type wireLogin struct {
	ID         uuid.UUID `json:"id"`
	Device     string    `json:"device"`
	IP         string    `json:"ip"`
	Current    bool      `json:"current"`
	CreatedAt  *string   `json:"created_at"`
	LastSeenAt *string   `json:"last_seen_at"`
	ExpiresAt  *string   `json:"expires_at"`
}

func showLogin(s account.Session, caller account.Caller) wireLogin {
	return wireLogin{
		ID: s.ID, Device: s.Device, IP: s.IP, Current: s.ID == caller.SessionID,
		CreatedAt: wire.Time(s.CreatedAt), LastSeenAt: wire.Time(s.LastSeenAt), ExpiresAt: wire.Time(s.ExpiresAt),
	}
}

func (a *API) listSessions(c *gin.Context) error {
	caller, _ := callerOf(c) // not a hot route: its use is written before it reads
	return answerOwn(a, c, "sessions", a.Accounts.Sessions,
		func(s account.Session) wireLogin { return showLogin(s, caller) })
}

func (a *API) endSession(c *gin.Context) error {
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Accounts.EndSession(c.Request.Context(), caller.UserID, id); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Session ended"})
}

func (a *API) endOtherSessions(c *gin.Context) error {
	caller, _ := callerOf(c)
	if err := a.Accounts.EndOtherSessions(c.Request.Context(), caller); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "All other sessions ended"})
}

func (a *API) changePassword(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	current, password := body.RequiredText("current_password"), body.RequiredText("new_password")
	if err := body.Err(nil); err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Accounts.ChangePassword(c.Request.Context(), caller, current, password, a.guard(c)); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Password changed; all other sessions ended"})
}

// askReset answers alike whoever has the address, and whether mails are sent at all.
func (a *API) askReset(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	email := body.RequiredText("email")
	if err := body.Err(nil); err != nil {
		return err
	}
	if used := a.Attempts.Allow(c.Request.Context(), "reset:"+source(c)); !used.Allowed {
		return tooMany(c, used)
	}
	if err := a.Accounts.AskReset(c.Request.Context(), email); err != nil {
		return err
	}
	return a.answer(c, http.StatusAccepted, gin.H{"message": "If somebody has this address, a mail is on its way"})
}

func (a *API) resetPassword(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	token, password := body.RequiredText("token"), body.RequiredText("password")
	if err := body.Err(nil); err != nil {
		return err
	}
	if err := a.Accounts.ResetPassword(c.Request.Context(), token, password); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Password changed; log in with it"})
}

func (a *API) verifyEmail(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	token := body.RequiredText("token")
	if err := body.Err(nil); err != nil {
		return err
	}
	if err := a.Accounts.VerifyEmail(c.Request.Context(), token); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Address confirmed"})
}

func (a *API) askVerification(c *gin.Context) error {
	caller, _ := callerOf(c)
	if err := a.Accounts.AskVerification(c.Request.Context(), caller.UserID); err != nil {
		return err
	}
	return a.answer(c, http.StatusAccepted,
		gin.H{"message": "A mail is on its way, unless the address is confirmed already"})
}
