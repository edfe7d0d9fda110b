package signin

import (
	"errors"
	"fmt"
	"net/http"

	"dealflow/internal/fault"
	"dealflow/internal/pages/frame"
	"dealflow/internal/password"
)

// proofForm has the data of the page of a mailed link, which requires a password. Opening the page does not use the
// link up, so neither a mail scanner nor a recipient who did not request the mail can use it up.
type proofForm struct {
	Title, Text, Label, Button, Autocomplete string

	Wrong string
	Done  string
}

// prover carries out the purpose of a mailed link, with the token of the link and the password that was entered.
type prover func(r *http.Request, token, password string) error

// proofs adds the pages of mailed links.
func (p *pages) proofs() {
	p.proof(frame.VerifyPath, proofForm{
		Title: "Confirm your address", Text: "Give the password that you chose when you registered.",
		Label: "Your password", Button: "Confirm", Autocomplete: "current-password",
	}, "Your address is confirmed.", func(r *http.Request, token, password string) error {
		return p.people.VerifyEmailBy(r.Context(), token, password, frame.VisitorOf(r).Guard)
	})
	p.proof(frame.ResetPath, proofForm{
		Title: "Choose a new password", Text: "All of your sessions end.",
		Label:  fmt.Sprintf("New password, of at least %d characters", password.Shortest),
		Button: "Change it", Autocomplete: "new-password",
	}, "Your password is changed. Sign in with it.", func(r *http.Request, token, password string) error {
		return p.people.ResetPassword(r.Context(), token, password)
	})
}

// proof serves the page of one kind of mailed link, whose path is at followed by "/{token}". After prove has succeeded,
// the page shows the sentence done.
func (p *pages) proof(at string, form proofForm, done string, prove prover) {
	show := func(w http.ResponseWriter, status int, form proofForm) error {
		return p.frame.Show(w, status, "mailed", frame.Page{Title: form.Title, Model: form})
	}
	p.frame.Open("GET "+at+"/{token}", func(w http.ResponseWriter, _ *http.Request) error {
		return show(w, http.StatusOK, form)
	})
	p.frame.Open("POST "+at+"/{token}", func(w http.ResponseWriter, r *http.Request) error {
		sent, err := frame.FormOf(w, r)
		if err != nil {
			return err
		}
		err = prove(r, r.PathValue("token"), sent.Get("password"))
		answer := form
		if refusal, found := errors.AsType[*fault.Error](err); found && refusal.Code == "invalid_token" {
			frame.VisitorOf(r).Failed(err)
			answer.Done = "This link was used, or has expired. Ask for another mail."
			return show(w, http.StatusGone, answer)
		}
		if wrong, mendable := frame.Sentence(err); mendable {
			answer.Wrong = wrong
			return show(w, frame.VisitorOf(r).Failed(err), answer)
		}
		if err != nil {
			return err
		}
		answer.Done = done
		return show(w, http.StatusOK, answer)
	})
}
