package pages

import (
	"net/http"
	"strings"
)

// ForgotPath is where who has forgotten their password asks for a mail.
const ForgotPath = "/forgot"

// forgotForm asks for the address of who has forgotten their password. It does not say whether somebody has it.
type forgotForm struct {
	Mails bool // the service sends mails
	Email string
	Wrong string
	Sent  bool
}

func (p *Pages) forgotPage(w http.ResponseWriter, _ *http.Request) error {
	return p.showForgot(w, http.StatusOK, forgotForm{})
}

func (p *Pages) showForgot(w http.ResponseWriter, status int, model forgotForm) error {
	model.Mails = p.deps.Accounts.SendsMails()
	return p.show(w, status, "forgot", frame{Title: "Forgotten password", Model: model})
}

// mailReset mails whoever has the address a link to choose a new password by.
func (p *Pages) mailReset(w http.ResponseWriter, r *http.Request) error {
	form, err := formOf(w, r)
	if err != nil {
		return err
	}
	model := forgotForm{Email: strings.TrimSpace(form.Get("email"))}
	if model.Email == "" {
		model.Wrong = "Please enter your address."
		return p.showForgot(w, http.StatusBadRequest, model)
	}
	if err := visitorOf(r).CountMail(); err != nil {
		return err
	}
	if err := p.deps.Accounts.AskReset(r.Context(), model.Email); err != nil {
		return err
	}
	model.Sent = true
	return p.showForgot(w, http.StatusOK, model)
}
