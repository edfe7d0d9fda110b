package pages

import (
	"errors"
	"net/http"

	"dealflow/internal/account"
	"dealflow/internal/fault"
)

// signInLink is the page of a link that signs a user in once. Opening it does nothing, so that what looks ahead at
// links does not use it up.
type signInLink struct {
	Name, Email string
	Path        string
	Secret      string // by which the page may send its form again
}

func (p *Pages) signInLinkPage(w http.ResponseWriter, r *http.Request) error {
	user, err := p.deps.Accounts.SignInLinkUser(r.Context(), r.PathValue("token"))
	if err != nil {
		return p.failLink(w, r, err)
	}
	model := signInLink{Name: user.Name, Email: user.Email, Path: r.URL.Path, Secret: account.NewPageSecret()}
	return p.show(w, http.StatusOK, "signinlink", frame{Title: "Sign in", Model: model})
}

// useSignInLink begins a session of the link's user.
func (p *Pages) useSignInLink(w http.ResponseWriter, r *http.Request) error {
	form, err := formOf(w, r)
	if err != nil {
		return err
	}
	entry, err := p.deps.Accounts.EnterByLink(r.Context(), r.PathValue("token"), form.Get("page"))
	if err != nil {
		return p.failLink(w, r, err)
	}
	visitorOf(r).Enter(entry)
	http.Redirect(w, r, AppPath, http.StatusSeeOther)
	return nil
}

// failLink says what to do where a link signs nobody in.
func (p *Pages) failLink(w http.ResponseWriter, r *http.Request, err error) error {
	refusal, found := errors.AsType[*fault.Error](err)
	if !found || refusal.Kind != fault.InvalidBody && refusal.Kind != fault.Unauthenticated {
		return err
	}
	visitorOf(r).Failed(err)
	told := notice{
		"This link does not sign you in any more",
		"It was used, or has expired. Start dealflow again for another one.",
	}
	if refusal.Code == "totp_required" {
		told = notice{"This link does not sign you in", "You have a second factor: sign in with your password and a code."}
	}
	return p.show(w, http.StatusGone, "notice", frame{Title: told.Title, Model: told})
}
