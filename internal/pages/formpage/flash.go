package formpage

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"dealflow/internal/account/signin"
	"dealflow/internal/pages/frame"
)

// A page shows some values only once, such as a new secret. The response to a form stores such a value in an encrypted
// cookie before it redirects to the page. The cookie is valid for that page and that session only, and the page that
// shows the value deletes it. So a reload does not send the form again, and if the response with the page is lost, the
// next request shows the value.
const (
	flashCookie  = "dealflow_once"
	flashPurpose = "dealflow shown once 1" // names the purpose for which its key is derived
	flashTime    = 2 * time.Minute
	flashMost    = 3500 // bytes of a cookie that every browser keeps
)

// Codes are recovery codes, which are shown once.
type Codes []string

// flash is the content of the cookie: a value that a page shows once. One of Once, Factor and Codes is set.
type flash struct {
	Once   *Once             `json:",omitempty"`
	Factor *signin.NewFactor `json:",omitempty"`
	Codes  Codes             `json:",omitempty"`
	Until  time.Time
}

// shown returns the value that the page shows, or nil if none is set.
func (f flash) shown() any {
	switch {
	case f.Once != nil:
		return *f.Once
	case f.Factor != nil:
		return *f.Factor
	case f.Codes != nil:
		return f.Codes
	}
	return nil
}

// keepForPage sets a cookie with a value that a page is to show once, within flashTime, and returns true. It sets none
// and returns false if the cookie would have more than flashMost bytes, or if shown is not a Once, signin.NewFactor or
// Codes.
func (ps *Pages) keepForPage(w http.ResponseWriter, s *frame.Scene, path string, shown any) bool {
	one := flash{Until: ps.now().Add(flashTime)}
	switch it := shown.(type) {
	case Once:
		one.Once = &it
	case signin.NewFactor:
		one.Factor = &it
	case Codes:
		one.Codes = it
	}
	text, err := json.Marshal(one)
	if err != nil || one.shown() == nil {
		return false
	}
	sealed := base64.RawURLEncoding.EncodeToString(ps.sealed.Seal(flashOf(s, path), string(text)))
	if len(sealed) > flashMost {
		return false
	}
	http.SetCookie(w, ps.flashCookie(path, sealed, int(flashTime.Seconds())))
	return true
}

// keptForPage returns the value in the cookie for this page and session, and deletes the cookie. It returns nil if
// there is no cookie, if the cookie is for another page or session, which leaves it in place, or if it has expired.
func (ps *Pages) keptForPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) any {
	cookie, err := r.Cookie(flashCookie)
	if err != nil {
		return nil
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return nil
	}
	text, err := ps.sealed.Open(flashOf(s, r.URL.Path), sealed)
	if err != nil { // of another page, or of another session
		return nil
	}
	http.SetCookie(w, ps.flashCookie(r.URL.Path, "", -1))
	var one flash
	if json.Unmarshal([]byte(text), &one) != nil || ps.now().After(one.Until) {
		return nil
	}
	return one.shown()
}

// flashOf returns the name of the session and the page for which a cookie is valid.
func flashOf(s *frame.Scene, path string) string { return s.Caller.SessionID.String() + " " + path }

func (ps *Pages) flashCookie(path, value string, maxAge int) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure where the service is reached by https, as decided
		Name: flashCookie, Value: value, Path: path, MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: ps.isSecure,
	}
}
