package accounts

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/respond"
)

// ChangePassword changes the password of the caller, who must send the current one too, and ends their other sessions.
// Wrong passwords are counted as those of a login are. The errors are those of the body (see request.Object) and of
// signin.Service.ChangePassword.
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

// AskReset queues a mail to an address with a token by which the user who has the address can reset their password. The
// answer does not show whether a user has the address. It does show whether the service sends mails at all. The error
// is RateLimited after too many such requests from the client's address, and otherwise that of the body (see
// request.Object) or of signin.Service.AskReset.
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
	message := "If somebody has this address, a mail is on its way"
	if !h.SignIn.SendsMails() {
		message = "This service sends no mails; its operator can choose a new password"
	}
	return respond.Answer(c, http.StatusAccepted, gin.H{"message": message})
}

// CountReset counts, for the client's address, a request for a mail that resets a password. The error is RateLimited
// after too many in a minute.
func (h *Handlers) CountReset(c *gin.Context) error {
	if used := h.ManyGuesses.Allow(c.Request.Context(), "reset:"+limits.Source(c)); !used.Allowed {
		return limits.TooMany(c, used)
	}
	return nil
}

// ResetPassword sets a new password for the user to whom the token in the body was mailed, and ends their sessions. It
// needs no login. If the user's address was not confirmed before, it is now, and the user's API keys and second factor
// are deleted, which another person may have made. The errors are those of the body (see request.Object) and of
// signin.Service.ResetPassword.
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
