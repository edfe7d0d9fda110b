package accounts

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/account"
	"dealflow/internal/account/outbox"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/ratelimit"
)

// VerifyEmail marks the address of the user to whom the token in the body was mailed as confirmed. It needs no login.
// The error is InvalidBody for a token that is unknown or has expired, Conflict if another user has confirmed the
// address, and otherwise that of the body (see request.Object).
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

// AskVerification queues a mail to the caller with a link that confirms their address. It answers the same, but queues
// nothing, if the address is confirmed already, or if it got outbox.PerHour such mails in the last hour, whoever
// requested them. The error is RateLimited if the address is not confirmed and the caller has requested that many in
// the last hour, and Conflict if the service sends no mails.
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
