package signin

import (
	"net/http"
	"strings"

	"dealflow/internal/pages/frame"
)

// forgotForm is the form for people who have forgotten their password. It does not show whether an address has a user.
type forgotForm struct {
	Mails bool // the service sends mails
	Email string
	Wrong string
	Sent  bool
}

func (p *pages) forgotPage(w http.ResponseWriter, _ *http.Request) error {
	return p.showForgot(w, http.StatusOK, forgotForm{})
}

func (p *pages) showForgot(w http.ResponseWriter, status int, model forgotForm) error {
	model.Mails = p.people.SendsMails()
	return p.frame.Show(w, status, "forgot", frame.Page{Title: "Forgotten password", Model: model})
}

// mailReset mails a link to the user with the address that was sent, if there is one. With the link they can choose a
// new password.
func (p *pages) mailReset(w http.ResponseWriter, r *http.Request) error {
	form, err := frame.FormOf(w, r)
	if err != nil {
		return err
	}
	model := forgotForm{Email: strings.TrimSpace(form.Get("email"))}
	if model.Email == "" {
		model.Wrong = "Please enter your address."
		return p.showForgot(w, http.StatusBadRequest, model)
	}
	if err := frame.VisitorOf(r).CountMail(); err != nil {
		return err
	}
	if err := p.people.AskReset(r.Context(), model.Email); err != nil {
		return err
	}
	model.Sent = true
	return p.showForgot(w, http.StatusOK, model)
}
