package signin

import (
	"errors"
	"net/http"

	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/pages/frame"
)

// signInLink has the data of the page of a link that signs a user in once. Opening the page does not use the link up,
// since some programs open links in advance; sending its form does.
type signInLink struct {
	Name, Email string
	Path        string
	Secret      string // lets this page alone send its form again after the link was used
}

func (p *pages) signInLinkPage(w http.ResponseWriter, r *http.Request) error {
	user, err := p.people.LinkUser(r.Context(), r.PathValue("token"))
	if err != nil {
		return p.failLink(w, r, err)
	}
	model := signInLink{Name: user.Name, Email: user.Email, Path: r.URL.Path, Secret: signin.NewPageSecret()}
	return p.frame.Show(w, http.StatusOK, "signinlink", frame.Page{Title: "Sign in", Model: model})
}

// useSignInLink begins a session of the link's user, and redirects to AppPath. For a link that signs nobody in, it
// responds as failLink does. The errors are those of frame.FormOf and failLink.
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

// failLink responds with a notice that a link signs nobody in, and what to do instead. It returns errors other than
// InvalidBody and Unauthenticated.
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
