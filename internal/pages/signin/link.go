package signin

import (
	"errors"
	"net/http"

	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/pages/frame"
)

// signInLink is the page of a link that signs a user in once. Opening it does nothing, so that programs that open links
// in advance do not use it up.
type signInLink struct {
	Name, Email string
	Path        string
	Secret      string // with which the page may send its form again
}

func (p *pages) signInLinkPage(w http.ResponseWriter, r *http.Request) error {
	user, err := p.people.LinkUser(r.Context(), r.PathValue("token"))
	if err != nil {
		return p.failLink(w, r, err)
	}
	model := signInLink{Name: user.Name, Email: user.Email, Path: r.URL.Path, Secret: signin.NewPageSecret()}
	return p.frame.Show(w, http.StatusOK, "signinlink", frame.Page{Title: "Sign in", Model: model})
}

// useSignInLink begins a session of the link's user.
func (p *pages) useSignInLink(w http.ResponseWriter, r *http.Request) error {
	form, err := frame.FormOf(w, r)
	if err != nil {
		return err
	}
	entry, err := p.people.EnterByLink(r.Context(), r.PathValue("token"), form.Get("page"))
	if err != nil {
		return p.failLink(w, r, err)
	}
	frame.VisitorOf(r).Enter(entry)
	return frame.Redirect(w, r, frame.AppPath)
}

// failLink responds with a notice that says what to do where a link signs nobody in. It returns any other error.
func (p *pages) failLink(w http.ResponseWriter, r *http.Request, err error) error {
	refusal, found := errors.AsType[*fault.Error](err)
	if !found || refusal.Kind != fault.InvalidBody && refusal.Kind != fault.Unauthenticated {
		return err
	}
	frame.VisitorOf(r).Failed(err)
	notice := frame.Notice{
		Title: "This link does not sign you in any more",
		Text:  "It was used, or has expired. Start dealflow again for another one.",
	}
	if refusal.Code == "totp_required" {
		notice = frame.Notice{
			Title: "This link does not sign you in",
			Text:  "You have a second factor: sign in with your password and a code.",
		}
	}
	return p.frame.ShowNotice(w, http.StatusGone, notice)
}
