package accounts

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/outbox"
	"dealflow/internal/account/signin"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/ratelimit"
)

// wireLogin is a session in the list of the caller's sessions; Current marks the one that sent the request.
type wireLogin struct {
	ID         uuid.UUID `json:"id"`
	Device     string    `json:"device"`
	IP         string    `json:"ip"`
	Current    bool      `json:"current"`
	CreatedAt  *string   `json:"created_at"`
	LastSeenAt *string   `json:"last_seen_at"`
	ExpiresAt  *string   `json:"expires_at"`
}

func showLogin(s signin.Session, caller account.Caller) wireLogin {
	return wireLogin{
		ID: s.ID, Device: s.Device, IP: s.IP, Current: s.ID == caller.SessionID,
		CreatedAt: wire.Time(s.CreatedAt), LastSeenAt: wire.Time(s.LastSeenAt), ExpiresAt: wire.Time(s.ExpiresAt),
	}
}

// ListSessions answers with the caller's sessions.
func (h *Handlers) ListSessions(c *gin.Context, caller account.Caller) error { // no Identity: the list shows this use
	return respond.Own(h.Reader, c, route.Identity(c), "sessions", h.SignIn.Sessions,
		func(s signin.Session) wireLogin { return showLogin(s, caller) })
}

// EndSession ends one of the caller's sessions.
func (h *Handlers) EndSession(c *gin.Context, caller account.Caller) error {
	if err := h.SignIn.EndSession(c.Request.Context(), caller.UserID, route.PathID(c, "id")); err != nil {
		return err
	}
	return respond.Message(c, "Session ended")
}

// EndOtherSessions ends all of the caller's sessions except the one that sent the request; all of them if it was sent
// with a key.
func (h *Handlers) EndOtherSessions(c *gin.Context, caller account.Caller) error {
	if err := h.SignIn.EndOtherSessions(c.Request.Context(), caller); err != nil {
		return err
	}
	return respond.Message(c, "All other sessions ended")
}

// ChangePassword changes the password of the caller, who must send the current one too.
func (h *Handlers) ChangePassword(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	current, password := body.RequiredText("current_password"), body.RequiredText("new_password")
	if err := body.Err(nil); err != nil {
		return err
	}
	if err := h.SignIn.ChangePassword(c.Request.Context(), caller, current, password, h.Guard(c)); err != nil {
		return err
	}
	return respond.Message(c, "Password changed; all other sessions ended")
}

// AskReset mails the user with an address a token by which they can reset their password. The answer does not show
// whether a user has the address, nor whether mails are sent. The error is RateLimited after too many such requests
// from the client's address.
func (h *Handlers) AskReset(c *gin.Context) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	email := body.RequiredText("email")
	if err := body.Err(nil); err != nil {
		return err
	}
	if err := h.CountReset(c); err != nil {
		return err
	}
	if err := h.SignIn.AskReset(c.Request.Context(), email); err != nil {
		return err
	}
	return respond.Answer(c, http.StatusAccepted, gin.H{"message": "If somebody has this address, a mail is on its way"})
}

// CountReset counts a request for a mail that resets a password for the client's address. The error is RateLimited
// after too many in a minute.
func (h *Handlers) CountReset(c *gin.Context) error {
	if used := h.ManyGuesses.Allow(c.Request.Context(), "reset:"+limits.Source(c)); !used.Allowed {
		return limits.TooMany(c, used)
	}
	return nil
}

// ResetPassword sets a new password for whoever has the token of a mail.
func (h *Handlers) ResetPassword(c *gin.Context) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	token, password := body.RequiredText("token"), body.RequiredText("password")
	if err := body.Err(nil); err != nil {
		return err
	}
	if err := h.SignIn.ResetPassword(c.Request.Context(), token, password); err != nil {
		return err
	}
	return respond.Message(c, "Password changed; log in with it")
}

// VerifyEmail confirms an address by the token of a mail.
func (h *Handlers) VerifyEmail(c *gin.Context) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	token := body.RequiredText("token")
	if err := body.Err(nil); err != nil {
		return err
	}
	if err := h.SignIn.VerifyEmail(c.Request.Context(), token); err != nil {
		return err
	}
	return respond.Message(c, "Address confirmed")
}

// AskVerification mails the caller a link that confirms their address, unless it is confirmed already. The error is
// RateLimited if the caller has asked for outbox.PerHour such mails in the last hour, and Conflict if the service sends
// no mails.
func (h *Handlers) AskVerification(c *gin.Context, caller account.Caller) error {
	wait, err := h.SignIn.AskVerification(c.Request.Context(), caller.UserID)
	if err != nil {
		return err
	}
	if wait > 0 {
		return limits.TooMany(c, ratelimit.Decision{Limit: outbox.PerHour, Reset: time.Now().Add(wait), RetryAfter: wait})
	}
	return respond.Answer(c, http.StatusAccepted,
		gin.H{"message": "A mail is on its way, unless the address is confirmed already"})
}
