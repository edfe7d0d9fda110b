package httpapi_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/testkit"
)

// elsewhere sends a form as a page of another site makes a browser send it.
func (b *browser) elsewhere(path string, form url.Values) reply {
	b.Helper()
	header := b.header()
	header.Set("Sec-Fetch-Site", "cross-site")
	return b.send(request{
		Method: http.MethodPost, Path: path, Body: form.Encode(), Type: "application/x-www-form-urlencoded",
		Header: header,
	})
}

// says fails the test unless a form was refused on its page, with these words.
func (r reply) says(status int, words string) {
	r.t.Helper()
	page := string(r.want(status).Raw)
	if !strings.Contains(page, `role="alert"`) || !strings.Contains(page, words) {
		r.t.Errorf("the page does not say %q: %.3000s", words, page)
	}
}

// done follows a form that did its work to the page that says so.
func (b *browser) done(got reply, words ...string) {
	b.Helper()
	b.page(got.want(http.StatusSeeOther).Header.Get("Location"), append(words, `role="status"`, `!role="alert"`)...)
}

func TestAPasswordIsChangedOnItsPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b, other := s.signIn(s.withPassword()), s.signIn(s.owner.Email)
	change := func(current, next, again string) reply {
		return b.submit("/app/me/password", url.Values{
			"current_password": {current}, "new_password": {next}, "again": {again},
		})
	}
	const next = "another good password"
	change("a wrong password", next, next).says(http.StatusUnauthorized, "not your password")
	change(consolePassword, "short", "short").says(http.StatusBadRequest, "10 to 200 characters")
	change(consolePassword, next, "another password").says(http.StatusBadRequest, "differs")
	b.elsewhere("/app/me/password", url.Values{
		"current_password": {consolePassword}, "new_password": {next},
		"again": {next},
	}).
		want(http.StatusForbidden)
	other.page("/app/me", s.owner.Email)
	b.done(change(consolePassword, next, next), "Your password is changed")
	other.open("/app/me").want(http.StatusSeeOther)
	nobody := &browser{server: s}
	nobody.submit("/signin", url.Values{"email": {s.owner.Email}, "password": {next}}).want(http.StatusSeeOther)
	nobody.submit("/app/me/password", url.Values{}).want(http.StatusSeeOther)
}

func TestSessionsEndOnTheirPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b, second, third := s.signIn(s.withPassword()), s.signIn(s.owner.Email), s.signIn(s.owner.Email)
	testkit.Exec(t, s.dbURL, "UPDATE sessions SET device = '<script>alert(1)</script>'")
	page := string(b.page("/app/me", "&lt;script&gt;", "!<script>", "this browser").Raw)
	ends := regexp.MustCompile(`action="(/app/me/sessions/[0-9a-f-]{36}/end)"`).FindAllStringSubmatch(page, -1)
	if len(ends) != 2 {
		t.Fatalf("%d sessions can be ended, want 2: %s", len(ends), page)
	}
	stranger, _ := s.colleague("Carla Colleague", account.RoleAdmin)
	must(t, s.deps.SignIn.SetPassword(t.Context(), stranger.ID, consolePassword))
	eve := s.signIn(stranger.Email)
	eve.page("/app/me", "!&lt;script&gt;")
	eve.submit(ends[0][1], nil)
	if n := s.count("sessions"); n != 4 {
		t.Fatalf("somebody ended a session of another: %d are left", n)
	}
	b.elsewhere(ends[0][1], nil).want(http.StatusForbidden)
	for range 2 { // the second time it has ended already
		b.done(b.submit(ends[0][1], nil), "That session has ended")
	}
	if n := s.count("sessions"); n != 3 {
		t.Errorf("%d sessions are left, want 3", n)
	}
	b.submit("/app/me/sessions/x/end", nil).want(http.StatusNotFound)
	b.done(b.submit("/app/me/sessions/others", nil), "All of your other sessions")
	b.page("/app/me", "this browser", "!/end")
	second.open("/app/me").want(http.StatusSeeOther)
	third.open("/app/me").want(http.StatusSeeOther)
	eve.page("/app/me", "this browser")
}

func TestASecondFactorIsTurnedOnAndOffOnItsPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	b.submit("/app/me/factor/start", url.Values{"password": {"a wrong password"}}).says(http.StatusUnauthorized,
		"not your password")
	begun := b.follow(b.submit("/app/me/factor/start", url.Values{"password": {consolePassword}}))
	secret := regexp.MustCompile(`value="([A-Z2-7]{32})"`).FindStringSubmatch(string(begun.Raw))
	if secret == nil || !strings.Contains(string(begun.Raw), `href="otpauth://totp/`) ||
		!strings.Contains(string(begun.Raw), `<svg class="qr"`) {
		t.Fatalf("the page has no secret: %s", begun.Raw)
	}
	b.submit("/app/me/factor/confirm", url.Values{"code": {"12345"}}).says(http.StatusBadRequest, "Code is wrong")
	code, err := signin.TOTPCode(secret[1], time.Now())
	must(t, err)
	on := b.follow(b.submit("/app/me/factor/confirm", url.Values{"code": {code}}))
	recovery := regexp.MustCompile(`<li><code>([^<]+)</code>`).FindAllStringSubmatch(string(on.Raw), -1)
	if len(recovery) != 10 {
		t.Fatalf("%d recovery codes: %s", len(recovery), on.Raw)
	}
	b.page("/app/me", "It is on", "!"+secret[1], "!"+recovery[0][1])
	nobody := &browser{server: s}
	nobody.submit("/signin", url.Values{
		"email":    {s.owner.Email},
		"password": {consolePassword},
	}).says(http.StatusUnauthorized, "authenticator")
	nobody.submit("/signin", url.Values{
		"email": {s.owner.Email}, "password": {consolePassword}, "code": {"000000"},
	}).says(http.StatusUnauthorized, "the code is wrong")
	nobody.submit("/signin", url.Values{
		"email": {s.owner.Email}, "password": {consolePassword},
		"code": {recovery[0][1]},
	}).
		want(http.StatusSeeOther)
	b.submit("/app/me/factor/stop", url.Values{"password": {"a wrong password"}}).says(http.StatusUnauthorized,
		"not your password")
	b.done(b.submit("/app/me/factor/stop", url.Values{"password": {consolePassword}}), "The second factor is off")
}

func TestAForgottenPasswordIsChosenAnewByMail(t *testing.T) {
	t.Parallel()
	m := startMailing(t)
	nobody := &browser{server: m.server}
	nobody.page("/signin", `href="/forgot"`)
	nobody.submit("/forgot", url.Values{"email": {" "}}).says(http.StatusBadRequest, "enter your address")
	nobody.elsewhere("/forgot", url.Values{"email": {m.owner.Email}}).want(http.StatusForbidden)
	for _, email := range []string{"nobody@fund.example", "<b>@fund.example", m.owner.Email} {
		got := nobody.submit("/forgot", url.Values{"email": {email}}).want(http.StatusOK)
		if !strings.Contains(string(got.Raw), "a mail is on its way") || strings.Contains(string(got.Raw), "<b>@") {
			t.Errorf("%s is answered with %s", email, got.Raw)
		}
	}
	links := m.mailed(m.owner.Email, "/reset/")
	if len(links) != 1 || len(m.box.Mails()) != 1 {
		t.Fatalf("the mails are %q", m.box.Mails())
	}
	at := links[0][1]
	nobody.page(at, "Choose a new password")
	nobody.submit(at, url.Values{"password": {"short"}}).says(http.StatusBadRequest, "10 to 200 characters")
	got := nobody.submit(at, url.Values{"password": {password}}).want(http.StatusOK)
	if !strings.Contains(string(got.Raw), "Your password is changed") {
		t.Errorf("it says %s", got.Raw)
	}
	nobody.submit(at, url.Values{"password": {password}}).want(http.StatusGone)
	nobody.submit("/signin", url.Values{"email": {m.owner.Email}, "password": {password}}).want(http.StatusSeeOther)
	for range 20 {
		if nobody.submit("/forgot", url.Values{"email": {m.owner.Email}}).Status == http.StatusTooManyRequests {
			return
		}
	}
	t.Error("mails are asked for without a limit")
}

func TestWithoutMailsThePageOfAForgottenPasswordSaysSo(t *testing.T) {
	t.Parallel()
	s := start(t)
	nobody := &browser{server: s}
	nobody.page("/forgot", "sends no mails", "!<form")
	s.signIn(s.withPassword()).submit("/app/me/verification", nil).says(http.StatusConflict, "sends no mails")
}

func TestAnAddressIsProvenFromItsOwnersPage(t *testing.T) {
	t.Parallel()
	m := startMailing(t)
	m.register("ada@fund.example")
	b := &browser{server: m.server}
	got := b.submit("/signin", url.Values{"email": {"ada@fund.example"}, "password": {password}}).want(http.StatusSeeOther)
	b.cookies = (&http.Response{Header: got.Header}).Cookies()
	first := m.mailed("ada@fund.example", "/verify/")[0][1]
	b.page("/app/me", "Send me a mail")
	b.done(b.submit("/app/me/verification", nil), "A mail is on its way")
	at := m.mailed("ada@fund.example", "/verify/")[0][1]
	if at == first {
		t.Error("no second mail came")
	}
	for range 8 {
		b.done(b.submit("/app/me/verification", nil), "A mail is on its way")
	}
	b.submit("/app/me/verification", nil).says(http.StatusConflict, "mailed too often within the hour")
	b.submit(at, url.Values{"password": {password}}).want(http.StatusOK)
	b.page("/app/me", "You have proven", "!Send me a mail")
}

func TestTheHeaderLeadsToTheOtherTeams(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	b.page(s.consoleBase()+"/board", "!Change the team")
	second := testkit.Account(t, s.db, s.owner.ID, "<b>Second</b>")
	stranger, _ := s.stranger()
	own := "/app/" + second.ID.String()
	b.page(s.consoleBase()+"/links", "Change the team", `href="`+own+`/links"`, "&lt;b&gt;Second",
		"!"+stranger.ID.String())
	b.page(own+"/links", `href="`+s.consoleBase()+`/links"`)
	b.page("/app/me", "Your teams", `href="`+own+`/board"`)
}
