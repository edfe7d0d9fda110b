package accounts

import (
	"github.com/gin-gonic/gin"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/respond"
)

// StartFactor answers with the secret of a new second factor of the caller, which cannot be read again. The body must
// have the caller's password. The factor is not active until ConfirmFactor has confirmed it. The error is Forbidden for
// an API key, Conflict if the caller has an active factor, and otherwise that of the body (see request.Object) or of
// signin.Service.StartFactor.
func (h *Handlers) StartFactor(c *gin.Context, caller account.Caller) error {
	password, err := h.sessionText(c, caller, "password")
	if err != nil {
		return err
	}
	made, err := h.SignIn.StartFactor(c.Request.Context(), caller, password, h.Guard(c))
	if err != nil {
		return err
	}
	return respond.OK(c, gin.H{"secret": made.Secret, "otpauth_url": made.URL})
}

// ConfirmFactor turns the caller's second factor on if the body has the code that the app shows, and answers with
// recovery codes, which cannot be read again. An API key is refused with Forbidden. Other errors are those of the body
// (see request.Object) and of signin.Service.ConfirmFactor.
func (h *Handlers) ConfirmFactor(c *gin.Context, caller account.Caller) error {
	code, err := h.sessionText(c, caller, "code")
	if err != nil {
		return err
	}
	codes, err := h.SignIn.ConfirmFactor(c.Request.Context(), caller, code)
	if err != nil {
		return err
	}
	return respond.OK(c, gin.H{"recovery_codes": codes})
}

// StopFactor turns the caller's second factor off, and ends their other sessions. The body must have the caller's
// password. An API key is refused with Forbidden. Other errors are those of the body (see request.Object) and of
// signin.Service.StopFactor.
func (h *Handlers) StopFactor(c *gin.Context, caller account.Caller) error {
	password, err := h.sessionText(c, caller, "password")
	if err != nil {
		return err
	}
	if err := h.SignIn.StopFactor(c.Request.Context(), caller, password, h.Guard(c)); err != nil {
		return err
	}
	return respond.Message(c, "The second factor is off; all other sessions ended")
}

// sessionText returns the text of a member that the body must have. The error is Forbidden if the caller sent an API
// key, and InvalidBody if the member is missing or not a string.
func (h *Handlers) sessionText(c *gin.Context, caller account.Caller, field string) (string, error) {
	if err := caller.RequireSession(); err != nil {
		return "", err
	}
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return "", err
	}
	text := body.RequiredText(field)
	return text, body.Err(nil)
}
