package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"dealflow/internal/testkit"
)

// browser keeps the session of somebody who signed in on the page.
type browser struct {
	*server

	cookies []*http.Cookie
}

func (s *server) signIn(email string) *browser {
	s.Helper()
	b := &browser{server: s}
	got := b.submit("/signin", url.Values{"email": {email}, "password": {consolePassword}}).want(http.StatusSeeOther)
	b.cookies = (&http.Response{Header: got.Header}).Cookies()
	return b
}

// header returns what the browser sends along with every request.
func (b *browser) header() http.Header {
	header := http.Header{"Sec-Fetch-Site": {"same-origin"}}
	for _, cookie := range b.cookies {
		header.Add("Cookie", cookie.Name+"="+cookie.Value)
	}
	return header
}

func (b *browser) submit(path string, form url.Values) reply {
	b.Helper()
	return b.send(request{
		Method: http.MethodPost, Path: path, Body: form.Encode(), Type: "application/x-www-form-urlencoded",
		Header: b.header(),
	})
}

func (b *browser) open(path string) reply {
	b.Helper()
	header := b.header()
	header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	return b.send(request{Method: http.MethodGet, Path: path, Header: header})
}

const consolePassword = "a password for tests"

func (s *server) withPassword() string {
	s.Helper()
	must(s.T, s.deps.SignIn.SetPassword(s.Context(), s.owner.ID, consolePassword))
	return s.owner.Email
}

func TestThePagesAskToSignIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	nobody := &browser{server: s}
	board := "/app/" + s.account.ID.String() + "/board"
	for path, want := range map[string]string{
		"/": "/signin", "/app": "/signin", board: "/signin?next=" + url.QueryEscape(board),
	} {
		if got := nobody.open(path).want(http.StatusSeeOther).Header.Get("Location"); got != want {
			t.Errorf("%s leads to %q, want %q", path, got, want)
		}
	}
	root := s.send(request{Path: "/", Header: http.Header{"Accept": {"*/*"}}}).want(http.StatusOK)
	if root.text("data.docs") != s.deps.PublicURL+"/docs" || root.text("data.openapi") != s.deps.PublicURL+
		"/api/v1/openapi.json" || root.Header.Get("Vary") != "Accept" {
		t.Errorf("/ answers programs with %s", root.Raw)
	}
	email := s.withPassword()
	wrong := nobody.submit("/signin", url.Values{"email": {email}, "password": {"wrong password"}}).
		want(http.StatusUnauthorized)
	if !strings.Contains(string(wrong.Raw), "That is not the password") || !strings.Contains(string(wrong.Raw), email) {
		t.Errorf("a wrong password shows %.2000s", wrong.Raw)
	}
	for next, want := range map[string]string{
		board: board, "https://evil.example/": "/app", "//evil.example/app": "/app", "/api/v1/companies": "/app",
	} {
		got := nobody.submit("/signin", url.Values{"email": {email}, "password": {consolePassword}, "next": {next}}).
			want(http.StatusSeeOther)
		if got.Header.Get("Location") != want {
			t.Errorf("after signing in, %q leads to %q", next, got.Header.Get("Location"))
		}
	}
}

func TestTheBoardShowsWhatThePersonSees(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	mine := s.company(s.key, part{"name", "", "Hydrogen <b>&"}, part{"text", "", "a pitch"})
	stranger, otherKey := s.stranger()
	other := stranger.ID
	theirs := s.post(companies, otherKey, map[string]any{"account_id": other, "name": "Deuterium"}).
		want(http.StatusCreated).text("data.company.id")
	base := "/app/" + s.account.ID.String()
	for _, path := range []string{
		"/board", "/companies", "/companies/" + mine, "/companies?search=hydrogen", "/board?search=hydrogen",
	} {
		page := b.open(base + path).want(http.StatusOK)
		if !strings.Contains(string(page.Raw), "Hydrogen &lt;b&gt;&amp;") || strings.Contains(string(page.Raw), "Deuterium") {
			t.Errorf("%s shows %.3000s", path, page.Raw)
		}
		if policy := page.Header.Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") ||
			!strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s has the policy %q", path, policy)
		}
	}
	b.open(base + "/companies/" + theirs).want(http.StatusForbidden)
	b.open("/app/" + other.String() + "/board").want(http.StatusNotFound)
	b.open("/app/" + other.String() + "/companies/" + theirs).want(http.StatusNotFound)
}

func TestACompanyIsMovedOnTheBoard(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key, part{"name", "", "Hydrogen"}, part{"text", "", "a pitch"})
	stage := s.get(s.statusesPath(), s.key).text("data.2.id")
	move := "/app/" + s.account.ID.String() + "/companies/" + id + "/status"
	b.submit(move, url.Values{"status": {stage}}).want(http.StatusSeeOther)
	if got := s.get(companies+"/"+id, s.key).at("data.company.company_status_id"); got != stage {
		t.Errorf("the status is %v, want %s", got, stage)
	}
	b.submit(move, url.Values{"status": {"no_status"}}).want(http.StatusSeeOther)
	if got := s.get(companies+"/"+id, s.key).at("data.company.company_status_id"); got != nil {
		t.Errorf("the status is %v, want none", got)
	}
	b.submit(move, url.Values{"status": {"x"}}).want(http.StatusNotFound)
	elsewhere := testkit.Account(t, s.db, s.owner.ID, "Second Fund").ID.String()
	theirs := s.company(s.key, part{"account_id", "", elsewhere}, part{"name", "", "Deuterium"})
	b.submit("/app/"+s.account.ID.String()+"/companies/"+theirs+"/status", url.Values{"status": {"no_status"}}).
		want(http.StatusNotFound)
	across := b.header()
	across.Set("Sec-Fetch-Site", "cross-site")
	s.send(request{
		Method: http.MethodPost, Path: move, Body: "status=" + stage, Type: "application/x-www-form-urlencoded",
		Header: across,
	}).want(http.StatusForbidden)
}

func TestSigningOutEndsTheSession(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	b.submit("/signout", nil).want(http.StatusSeeOther)
	if got := b.open("/app").want(http.StatusSeeOther).Header.Get("Location"); got != "/signin" {
		t.Errorf("a session that ended leads to %s", got)
	}
}
