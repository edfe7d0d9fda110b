package pages

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"dealflow/internal/account"
)

// What is shown once travels from the answer to a form to the page that it leads to in a cookie, sealed, of that page
// and that session alone. So a reload posts nothing again, and where the answer with the page is lost, the browser
// still has the cookie, and the next look shows it. The page that shows it takes the cookie away.
const (
	flashCookie  = "dealflow_once"
	flashPurpose = "dealflow shown once 1" // of the keys that seal it
	flashTime    = 2 * time.Minute
	flashMost    = 3500 // bytes of a cookie that every browser keeps
)

// flash is what is shown once.
type flash struct {
	Once   *once              `json:",omitempty"`
	Factor *account.NewFactor `json:",omitempty"`
	Codes  recoveryCodes      `json:",omitempty"`
	Until  time.Time
}

// shown returns what pages are shown; nil for nothing.
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

// keepForPage leaves something with the browser to be shown once on a page; false where it is too much for that.
func (p *Pages) keepForPage(w http.ResponseWriter, s *scene, path string, shown any) bool {
	one := flash{Until: p.deps.Now().Add(flashTime)}
	switch it := shown.(type) {
	case once:
		one.Once = &it
	case account.NewFactor:
		one.Factor = &it
	case recoveryCodes:
		one.Codes = it
	}
	text, err := json.Marshal(one)
	if err != nil || one.shown() == nil {
		return false
	}
	sealed := base64.RawURLEncoding.EncodeToString(p.sealed.Seal(flashOf(s, path), string(text)))
	if len(sealed) > flashMost {
		return false
	}
	http.SetCookie(w, p.flashCookie(path, sealed, int(flashTime.Seconds())))
	return true
}

// keptForPage returns what was left with the browser for a page, and takes it away; nil for nothing.
func (p *Pages) keptForPage(w http.ResponseWriter, r *http.Request, s *scene) any {
	cookie, err := r.Cookie(flashCookie)
	if err != nil {
		return nil
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return nil
	}
	text, err := p.sealed.Open(flashOf(s, r.URL.Path), sealed)
	if err != nil { // of another page, or of another session
		return nil
	}
	http.SetCookie(w, p.flashCookie(r.URL.Path, "", -1))
	var one flash
	if json.Unmarshal([]byte(text), &one) != nil || p.deps.Now().After(one.Until) {
		return nil
	}
	return one.shown()
}

// flashOf names where something may be shown.
func flashOf(s *scene, path string) string { return s.Caller.SessionID.String() + " " + path }

func (p *Pages) flashCookie(path, value string, maxAge int) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure where the service is reached by https, as decided
		Name: flashCookie, Value: value, Path: path, MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(p.deps.PublicURL, "https://"),
	}
}
