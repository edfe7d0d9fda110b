package httpapi

import (
	"github.com/gin-gonic/gin"
)

// startFactor answers the secret of a second factor once.
func (a *API) startFactor(c *gin.Context) error {
	password, err := a.sessionText(c, "password")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	made, err := a.Accounts.StartFactor(c.Request.Context(), caller, password, a.guard(c))
	if err != nil {
		return err
	}
	return a.ok(c, gin.H{"secret": made.Secret, "otpauth_url": made.URL})
}

func (a *API) confirmFactor(c *gin.Context) error {
	code, err := a.sessionText(c, "code")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	codes, err := a.Accounts.ConfirmFactor(c.Request.Context(), caller, code)
	if err != nil {
		return err
	}
	return a.ok(c, gin.H{"recovery_codes": codes})
}

func (a *API) stopFactor(c *gin.Context) error {
	password, err := a.sessionText(c, "password")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Accounts.StopFactor(c.Request.Context(), caller, password, a.guard(c)); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "The second factor is off; all other sessions ended"})
}

// sessionText returns the one text that a request with a session must send.
func (a *API) sessionText(c *gin.Context, field string) (string, error) {
	caller, _ := callerOf(c)
	if err := caller.RequireSession(); err != nil {
		return "", err
	}
	body, err := a.readObject(c)
	if err != nil {
		return "", err
	}
	text := body.RequiredText(field)
	return text, body.Err(nil)
}
