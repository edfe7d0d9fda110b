package pages

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"dealflow/internal/account"
	"dealflow/internal/fault"
)

// maxForm is how long, in bytes, a form of these pages can be.
const maxForm = 64 << 10

// signInForm is the page on which people sign in, and what was wrong with what they sent.
type signInForm struct {
	Email, Next string
	NeedsCode   bool
	Wrong       string
}

// root leads to the board of who is signed in.
func (p *Pages) root(w http.ResponseWriter, r *http.Request) error {
	to := AppPath
	if visitorOf(r).Who == nil {
		to = SignInPath
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

func (p *Pages) signInPage(w http.ResponseWriter, r *http.Request) error {
	next := safeNext(r.URL.Query().Get("next"))
	if visitorOf(r).Who != nil {
		http.Redirect(w, r, next, http.StatusSeeOther) //nolint:gosec // G710: a path of ours, see safeNext
		return nil
	}
	return p.show(w, http.StatusOK, "signin", frame{Title: "Sign in", Model: signInForm{Next: next}})
}

// signIn begins a session, or asks again.
func (p *Pages) signIn(w http.ResponseWriter, r *http.Request) error {
	form, err := formOf(w, r)
	if err != nil {
		return err
	}
	v := visitorOf(r)
	model := signInForm{Email: form.Get("email"), Next: safeNext(form.Get("next"))}
	if model.Email == "" || form.Get("password") == "" {
		model.Wrong = "Please enter your address and your password."
		return p.show(w, http.StatusBadRequest, "signin", frame{Title: "Sign in", Model: model})
	}
	in := account.Credentials{
		Email: model.Email, Password: form.Get("password"), TOTPCode: strings.TrimSpace(form.Get("code")),
	}
	entry, err := p.deps.Accounts.Login(r.Context(), in, v.Guard)
	if refusal, found := errors.AsType[*fault.Error](err); found && refusal.Kind == fault.Unauthenticated {
		model.NeedsCode = refusal.Code == "totp_required" || form.Has("code")
		model.Wrong = "That is not the password of this address."
		if refusal.Code == "totp_required" {
			model.Wrong = "Please enter the code of your authenticator app too."
		}
		return p.show(w, v.Failed(err), "signin", frame{Title: "Sign in", Model: model})
	}
	if err != nil {
		return err
	}
	v.Enter(entry)
	http.Redirect(w, r, model.Next, http.StatusSeeOther)
	return nil
}

// signOut ends the session everywhere at once.
func (p *Pages) signOut(w http.ResponseWriter, r *http.Request) error {
	v := visitorOf(r)
	if v.Who != nil {
		if err := p.deps.Accounts.Logout(r.Context(), v.Caller); err != nil {
			return err
		}
	}
	v.Leave()
	http.Redirect(w, r, SignInPath, http.StatusSeeOther)
	return nil
}

// signInURL returns the page to sign in on, which leads back to what was asked for.
func signInURL(r *http.Request) string {
	if r.Method != http.MethodGet || r.URL.Path == AppPath {
		return SignInPath
	}
	return SignInPath + "?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
}

// safeNext returns a path of these pages to go on to, whatever a link says.
func safeNext(next string) string {
	parsed, err := url.Parse(next)
	if err != nil || parsed.Host != "" || parsed.Scheme != "" || !strings.HasPrefix(parsed.Path, AppPath) ||
		strings.Contains(next, `\`) {
		return AppPath
	}
	return next
}

// formOf reads a small form.
func formOf(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		media != "application/x-www-form-urlencoded" {
		return nil, fault.New(fault.UnsupportedType, "unsupported_media_type")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		if _, isLong := errors.AsType[*http.MaxBytesError](err); isLong {
			return nil, fault.New(fault.TooLarge, "too_large").Because(err)
		}
		return nil, fault.New(fault.InvalidBody, "invalid_form").Because(err)
	}
	return r.PostForm, nil
}
