package signin

import (
	"net/http"
	"strings"

	"dealflow/internal/pages/frame"
)

// forgotForm has the data of the page for people who have forgotten their password. It must not show whether a user has
// the address.
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

// mailReset queues a mail with a link for choosing a new password to the address that was sent, if it is that of a
// user. The page that follows is the same if there is no such user. The error is that of Visitor.CountMail if too many
// mails were requested, or that of frame.FormOf or signin.Service.AskReset.
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
