package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// Where mailed links lead, with the token as the last segment.
const (
	verifyPath = "/verify/"
	resetPath  = "/reset/"
)

// proofForm is the page of a mailed link: it asks for a password. Opening it does nothing, so that neither a mail
// scanner nor who did not ask for the mail uses the token up.
type proofForm struct {
	Title, Text, Label, Button, Autocomplete string

	Wrong string
	Done  string
}

func verifyForm() proofForm {
	return proofForm{
		Title: "Confirm your address", Text: "Give the password that you chose when you registered.", Label: "Your password",
		Button:       "Confirm",
		Autocomplete: "current-password",
	}
}

func resetForm() proofForm {
	return proofForm{
		Title: "Choose a new password", Text: "All of your sessions end.", Label: "New password, of at least 10 characters",
		Button:       "Change it",
		Autocomplete: "new-password",
	}
}

func (a *API) verifyPage(c *gin.Context) error {
	return a.pages.show(c, http.StatusOK, "proof", verifyForm())
}

func (a *API) resetPage(c *gin.Context) error {
	return a.pages.show(c, http.StatusOK, "proof", resetForm())
}

func (a *API) sendVerifyPage(c *gin.Context) error {
	return a.sendProof(c, verifyForm(), "Your address is confirmed. You can close this page.",
		func(password string) error {
			return a.Accounts.VerifyEmailBy(c.Request.Context(), c.Param("token"), password, a.guard(c))
		})
}

func (a *API) sendResetPage(c *gin.Context) error {
	return a.sendProof(c, resetForm(), "Your password is changed. Log in with it.", func(password string) error {
		return a.Accounts.ResetPassword(c.Request.Context(), c.Param("token"), password)
	})
}

// sendProof does what a page asks for, or asks again.
func (a *API) sendProof(c *gin.Context, form proofForm, done string, prove func(password string) error) error {
	sent, err := formOf(c)
	if err != nil {
		return err
	}
	err = prove(sent.Get("password"))
	if status, wrong := wrongInForm(err); wrong != nil {
		_ = c.Error(err)
		form.Wrong = wrong["password"]
		return a.pages.show(c, status, "proof", form)
	}
	if codeOf(err, kindOf(err)) == "invalid_token" {
		_ = c.Error(err)
		form.Done = "This link was used, or has expired. Ask for another mail."
		return a.pages.show(c, http.StatusGone, "proof", form)
	}
	if err != nil {
		return err
	}
	form.Done = done
	return a.pages.show(c, http.StatusOK, "proof", form)
}
