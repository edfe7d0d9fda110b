package pages

import (
	"errors"
	"net/http"

	"dealflow/internal/fault"
)

// Where mailed links lead, with the token as the last segment.
const (
	VerifyPath = "/verify"
	ResetPath  = "/reset"
)

// proofForm is the page of a mailed link: it asks for a password. Opening it does nothing, so that neither a mail
// scanner nor who did not ask for the mail uses the token up.
type proofForm struct {
	Title, Text, Label, Button, Autocomplete string

	Wrong string
	Done  string
}

// prover does what a mailed link is for.
type prover func(r *http.Request, token, password string) error

func (p *Pages) mailedRoutes() {
	p.proof(VerifyPath, proofForm{
		Title: "Confirm your address", Text: "Give the password that you chose when you registered.",
		Label: "Your password", Button: "Confirm", Autocomplete: "current-password",
	}, "Your address is confirmed.", func(r *http.Request, token, password string) error {
		return p.deps.Accounts.VerifyEmailBy(r.Context(), token, password, visitorOf(r).Guard)
	})
	p.proof(ResetPath, proofForm{
		Title: "Choose a new password", Text: "All of your sessions end.",
		Label: "New password, of at least 10 characters", Button: "Change it", Autocomplete: "new-password",
	}, "Your password is changed. Sign in with it.", func(r *http.Request, token, password string) error {
		return p.deps.Accounts.ResetPassword(r.Context(), token, password)
	})
}

// proof serves the page of a kind of mailed link.
func (p *Pages) proof(at string, form proofForm, done string, prove prover) {
	show := func(w http.ResponseWriter, status int, form proofForm) error {
		return p.show(w, status, "proof", frame{Title: form.Title, Model: form})
	}
	p.open("GET "+at+"/{token}", func(w http.ResponseWriter, _ *http.Request) error {
		return show(w, http.StatusOK, form)
	})
	p.open("POST "+at+"/{token}", func(w http.ResponseWriter, r *http.Request) error {
		sent, err := formOf(w, r)
		if err != nil {
			return err
		}
		err = prove(r, r.PathValue("token"), sent.Get("password"))
		answer := form
		if refusal, found := errors.AsType[*fault.Error](err); found && refusal.Code == "invalid_token" {
			visitorOf(r).Failed(err)
			answer.Done = "This link was used, or has expired. Ask for another mail."
			return show(w, http.StatusGone, answer)
		}
		if wrong, mendable := sentence(err); mendable {
			answer.Wrong = wrong
			return show(w, visitorOf(r).Failed(err), answer)
		}
		if err != nil {
			return err
		}
		answer.Done = done
		return show(w, http.StatusOK, answer)
	})
}
