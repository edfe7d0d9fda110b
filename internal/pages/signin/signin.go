// Package signin has the pages for visitors who are not signed in: signing in, a forgotten password, mailed links and
// invitations.
package signin

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/pages/frame"
)

type pages struct {
	frame    *frame.Server
	accounts *account.Service
	people   *signin.Service
}

// Serve adds the pages for visitors who are not signed in, with their forms, to the server.
func Serve(on *frame.Server, accounts *account.Service, people *signin.Service) {
	p := &pages{frame: on, accounts: accounts, people: people}
	on.Open("GET /{$}", p.root)
	on.Open("GET "+frame.SignInPath, p.signInPage)
	on.Open("POST "+frame.SignInPath, p.signIn)
	on.Open("GET "+signin.LinkPath+"{token}", p.signInLinkPage)
	on.Open("POST "+signin.LinkPath+"{token}", p.useSignInLink)
	on.Open("POST "+frame.SignOutPath, p.signOut)
	on.Open("GET "+frame.ForgotPath, p.forgotPage)
	on.Open("POST "+frame.ForgotPath, p.mailReset)
	on.Open("GET "+frame.InvitationsPath+"/{token}", p.invitationPage)
	on.Open("POST "+frame.InvitationsPath+"/{token}", p.join)
	p.proofs()
}

// signInForm has the data of the page for signing in, with what was entered before and what was wrong with it.
type signInForm struct {
	Email, Next string
	NeedsCode   bool
	Wrong       string
}

// root redirects visitors who are signed in to AppPath, and all others to the page for signing in.
func (p *pages) root(w http.ResponseWriter, r *http.Request) error {
	to := frame.AppPath
	if frame.VisitorOf(r).Who == nil {
		to = frame.SignInPath
	}
	return frame.Redirect(w, r, to)
}

func (p *pages) signInPage(w http.ResponseWriter, r *http.Request) error {
	next := safeNext(r.URL.Query().Get("next"))
	if frame.VisitorOf(r).Who != nil {
		return frame.Redirect(w, r, next)
	}
	return p.frame.Show(w, http.StatusOK, "signin", frame.Page{Title: "Sign in", Model: signInForm{Next: next}})
}

// signIn begins a session and redirects to the page that was requested, or shows the form again with what was wrong.
// The errors are those of frame.FormOf, and those of signin.Service.Login other than Unauthenticated.
func (p *pages) signIn(w http.ResponseWriter, r *http.Request) error {
	form, err := frame.FormOf(w, r)
	if err != nil {
		return err
	}
	v := frame.VisitorOf(r)
	model := signInForm{Email: form.Get("email"), Next: safeNext(form.Get("next"))}
	if model.Email == "" || form.Get("password") == "" {
		model.Wrong = "Please enter your address and your password."
		return p.frame.Show(w, http.StatusBadRequest, "signin", frame.Page{Title: "Sign in", Model: model})
	}
	in := signin.Credentials{
		Email: model.Email, Password: form.Get("password"), TOTPCode: strings.TrimSpace(form.Get("code")),
	}
	entry, err := p.people.Login(r.Context(), in, v.Guard)
	if refusal, found := errors.AsType[*fault.Error](err); found && refusal.Kind == fault.Unauthenticated {
		model.NeedsCode = refusal.Code == "totp_required" || form.Has("code")
		switch {
		case refusal.Code == "totp_required":
			model.Wrong = "Please enter your password once more, with the code of your authenticator app."
		case form.Has("code"):
			model.Wrong = "The password or the code is wrong. A code works once, for about a minute."
		default:
			model.Wrong = "That is not the password of this address."
		}
		return p.frame.Show(w, v.Failed(err), "signin", frame.Page{Title: "Sign in", Model: model})
	}
	if err != nil {
		return err
	}
	v.Enter(entry)
	return frame.Redirect(w, r, model.Next)
}

// signOut ends the session, if there is one, and redirects to the page for signing in.
func (p *pages) signOut(w http.ResponseWriter, r *http.Request) error {
	v := frame.VisitorOf(r)
	if v.Who != nil {
		if err := p.people.Logout(r.Context(), v.Caller); err != nil {
			return err
		}
	}
	v.Leave()
	return frame.Redirect(w, r, frame.SignInPath)
}

// safeNext returns next if it is AppPath or a path below it, else AppPath.
func safeNext(next string) string {
	parsed, err := url.Parse(next)
	if err != nil || parsed.Host != "" || parsed.Scheme != "" || strings.Contains(next, `\`) ||
		!strings.HasPrefix(path.Clean(parsed.Path)+"/", frame.AppPath+"/") {
		return frame.AppPath
	}
	return next
}
