package httpapi

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
)

// invitationForm is the page that accept_url leads to: what is asked of an invited person, and what was wrong with
// what they said. It does not show whether the address has a user: whoever invited it can see the page too.
type invitationForm struct {
	account.Invited

	Here  bool // they are logged in, and need not show again who they are
	Name  string
	Wrong map[string]string // by field
}

// invitationPage asks an invited person for what is missing.
func (a *API) invitationPage(c *gin.Context) error {
	form, _, err := a.openInvitation(c)
	if err != nil {
		return err
	}
	return a.pages.show(c, http.StatusOK, "invitation", form)
}

// openInvitation reads the invitation, and whether it is for the user whose session the browser has.
func (a *API) openInvitation(c *gin.Context) (form invitationForm, caller account.Caller, err error) {
	if found, err := a.authenticate(c); err == nil {
		caller = found
	}
	form.Invited, form.Here, err = a.Accounts.Invited(c.Request.Context(), c.Param("token"), caller.UserID)
	return form, caller, err
}

// joinPage accepts an invitation, or asks again.
func (a *API) joinPage(c *gin.Context) error {
	sent, err := formOf(c)
	if err != nil {
		return err
	}
	form, caller, err := a.openInvitation(c)
	if err != nil {
		return err
	}
	form.Name = sent.Get("name")
	in := account.Acceptance{
		Token: c.Param("token"), Name: form.Name, Password: sent.Get("password"), Caller: caller.UserID,
	}
	entry, err := a.Accounts.Accept(c.Request.Context(), in, a.guard(c))
	if status, wrong := wrongInForm(err); wrong != nil {
		_ = c.Error(err)
		form.Wrong = wrong
		return a.pages.show(c, status, "invitation", form)
	}
	if err != nil {
		return err
	}
	http.SetCookie(c.Writer, a.cookie(entry.Token, int(a.Accounts.SessionLifetime().Seconds())))
	a.know(c, entry.UserID)
	return a.pages.show(c, http.StatusOK, "joined", form)
}

// wrongInForm tells what a person can mend; nil for any other error.
func wrongInForm(err error) (int, map[string]string) {
	refusal, found := errors.AsType[*fault.Error](err)
	switch {
	case found && refusal.Code == "totp_required":
		return http.StatusUnauthorized, map[string]string{
			"password": "You have a second factor: log in first, then open this page again.",
		}
	case found && refusal.Kind == fault.Unauthenticated:
		return http.StatusUnauthorized, map[string]string{
			"password": "That is not the password of this address. If you are new here, give your name too.",
		}
	case !found || refusal.Kind != fault.InvalidBody:
		return 0, nil
	}
	wrong := map[string]string{}
	for _, detail := range refusal.Details {
		if detail.Field != "name" && detail.Field != "password" {
			return 0, nil
		}
		wrong[detail.Field] = "It " + detail.Message + "."
	}
	return http.StatusBadRequest, wrong
}

// formOf reads a small form that a page of ours sends.
func formOf(c *gin.Context) (url.Values, error) {
	if media := request.MediaType(c.Request); media != "application/x-www-form-urlencoded" {
		return nil, request.Unsupported("must be application/x-www-form-urlencoded")
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxPageForm)
	if err := c.Request.ParseForm(); err != nil {
		return nil, request.FormError(err)
	}
	return c.Request.PostForm, nil
}

// refusedInvitation says why an invitation cannot be accepted.
func refusedInvitation(code string, kind fault.Kind) (int, notice) {
	switch {
	case code == "invitation_used":
		return http.StatusGone, notice{
			"This invitation was used",
			"Somebody has joined the team with it. If that was you, log in with your address and password.",
		}
	case code == "invitation_expired":
		return http.StatusGone, notice{"This invitation has expired", "Please ask the person who invited you for a new one."}
	case kind == fault.NotFound:
		return http.StatusNotFound, notice{
			"There is no such invitation",
			"It was revoked, replaced by a newer one, or never made. Check that you have the whole address, or ask the " +
				"person who invited you.",
		}
	}
	return 0, notice{}
}
