package httpapi_test

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/testkit"
)

// invited invites an address and returns the path of the invitation's page.
func (s *server) invited(email string) (path, id string) {
	s.Helper()
	made := s.post(s.accountPath("invitations"), s.key, map[string]any{"email": email, "role": "admin"}).
		want(http.StatusCreated)
	page, found := strings.CutPrefix(made.text("data.accept_url"), "https://deals.example")
	if !found {
		s.Errorf("accept_url is %s", made.text("data.accept_url"))
	}
	return page, made.text("data.invitation.id")
}

// join sends the form of an invitation's page, as a browser does.
func (s *server) join(path string, fields url.Values, header http.Header) reply {
	s.Helper()
	return s.send(request{
		Method: http.MethodPost, Path: path, Body: fields.Encode(), Type: "application/x-www-form-urlencoded", Header: header,
	})
}

// prove is the operator's word that an address is its user's.
func (s *server) prove(email string) {
	s.Helper()
	user, err := s.deps.SignIn.UserForOperator(s.Context(), email, uuid.NullUUID{})
	must(s.T, err)
	must(s.T, s.deps.SignIn.ProveUser(s.Context(), user))
}

// shows fails the test unless a page has these texts, and none of those after "not".
func (r reply) shows(status int, texts ...string) {
	r.t.Helper()
	r.want(status)
	page, wanted := string(r.Raw), true
	for _, text := range texts {
		if text == "not" {
			wanted = false
		} else if strings.Contains(page, text) != wanted {
			r.t.Errorf("the page shows %q is %v: %s", text, !wanted, page)
		}
	}
	policy := r.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") ||
		!strings.Contains(policy, "frame-ancestors 'none'") ||
		r.Header.Get("Cache-Control") != "no-store" ||
		r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("Referrer-Policy") != "no-referrer" ||
		r.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		r.t.Errorf("the headers are %v", r.Header)
	}
}

func TestANewcomerJoinsByThePageOfTheirInvitation(t *testing.T) {
	t.Parallel()
	s := start(t)
	testkit.Exec(t, s.dbURL, "UPDATE accounts SET name = '<b>North</b>' WHERE id = $1", s.account.ID)
	page, _ := s.invited("grace@fund.example")
	for range 2 { // looking at it uses nothing up
		s.get(page, "").shows(http.StatusOK, "Join <bdi>&lt;b&gt;North", "Olivia Owner", "grace@fund.example", `name="name"`,
			`name="password"`, `minlength="10" maxlength="200"`, "of at least 10 characters", "not", "<b>", `role="alert"`)
	}
	s.join(page, url.Values{"name": {" "}, "password": {"short"}}, nil).
		shows(http.StatusBadRequest, "must have 10 to 200 characters", `name="name"`)
	s.join(page, url.Values{"name": {strings.Repeat("x", 256)}, "password": {"correct horse battery"}}, nil).
		shows(http.StatusBadRequest, `id="wrong-name"`)
	s.join(page, url.Values{"name": {" "}, "password": {"correct horse battery"}}, nil).shows(http.StatusUnauthorized,
		"If you are new here")
	s.join(page, url.Values{"name": {`Grace "<i>`}, "password": {""}}, nil).shows(http.StatusBadRequest,
		`value="Grace &#34;&lt;i&gt;"`, "not", `id="wrong-name"`, "<i>")
	if n := s.count("users"); n != 1 {
		t.Errorf("after refusals there are %d users", n)
	}
	got := s.join(page, url.Values{"name": {"Grace"}, "password": {"correct horse battery"}}, nil)
	got.shows(http.StatusOK, "You have joined", "grace@fund.example", "not", "<form")
	cookie, err := http.ParseSetCookie(got.Header.Get("Set-Cookie"))
	must(t, err)
	if cookie.Name != "dealflow_session" || !cookie.HttpOnly || !cookie.Secure ||
		cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" {
		t.Errorf("the cookie is %v", cookie)
	}
	me := s.with(cookie, request{Path: "/api/v1/auth/me"}).want(http.StatusOK)
	if me.text("data.user.name") != "Grace" || me.text("data.accounts.0.role") != "admin" ||
		me.text("data.accounts.0.id") != s.account.ID.String() {
		t.Errorf("he is %s", me.Raw)
	}
	s.get(page, "").shows(http.StatusGone, "was used", "not", "<form", "grace@fund.example")
	s.join(page, url.Values{"name": {"Eve"}, "password": {"correct horse battery"}}, nil).shows(http.StatusGone,
		"was used")
	if log := s.log.String(); strings.Contains(log, path.Base(page)) {
		t.Error("the token is in the log")
	}
}

func TestAUserJoinsByThePageOfTheirInvitation(t *testing.T) {
	t.Parallel()
	s := start(t)
	const password = "correct horse battery"
	_, cookie := s.register("ada@fund.example")
	s.prove("ada@fund.example")
	page, _ := s.invited("ADA@fund.example")
	// as for anybody: the page does not show who is a user
	s.get(page, "").shows(http.StatusOK, `name="name"`, `name="password"`)
	wrong := s.join(page, url.Values{"password": {"another password"}}, nil)
	wrong.shows(http.StatusUnauthorized, "not the password", "<form")
	if wrong.Header.Get("Set-Cookie") != "" {
		t.Error("a wrong password begins a session")
	}
	s.join(page, url.Values{"password": {password}, "name": {"Eve"}}, nil).shows(http.StatusOK, "You have joined")
	if me := s.with(cookie, request{Path: "/api/v1/auth/me"}); strings.Contains(string(me.Raw), "Eve") ||
		!strings.Contains(string(me.Raw), "Northwind Ventures") {
		t.Errorf("he is %s", me.Raw)
	}
	again, _ := s.invited("bob@fund.example")
	_, bobs := s.register("bob@fund.example")
	s.prove("bob@fund.example")
	s.with(bobs, request{Path: again}).shows(http.StatusOK, "<form", "not", `type="password"`)
	s.with(cookie, request{Path: again}).shows(http.StatusOK, `type="password"`) // another's session proves nothing
	s.join(again, nil, http.Header{"Cookie": {cookie.String()}, "Sec-Fetch-Site": {"same-origin"}}).
		shows(http.StatusBadRequest, "10 to 200 characters")
	s.join(again, nil, http.Header{"Cookie": {bobs.String()}, "Sec-Fetch-Site": {"cross-site"}}).
		shows(http.StatusForbidden, "There is nothing here")
	s.join(again, nil, http.Header{"Cookie": {bobs.String()}, "Sec-Fetch-Site": {"same-origin"}}).shows(http.StatusOK,
		"You have joined")
}

func TestAnInvitationThatIsOverSaysSo(t *testing.T) {
	t.Parallel()
	s := start(t)
	form := url.Values{"name": {"Grace"}, "password": {"correct horse battery"}}
	revoked, id := s.invited("grace@fund.example")
	s.erase(s.accountPath("invitations/"+id), s.key).want(http.StatusOK)
	replaced, _ := s.invited("ada@fund.example")
	current, _ := s.invited("ada@fund.example")
	for name, page := range map[string]string{
		"revoked": revoked, "replaced": replaced, "unknown": "/invitations/" + strings.Repeat("a", 52),
		"strange": "/invitations/%00%ff",
	} {
		for _, got := range []reply{s.get(page, ""), s.join(page, form, nil)} {
			if got.shows(http.StatusNotFound, "There is no such invitation", "not", "<form", "Northwind"); t.Failed() {
				t.Fatal(name)
			}
		}
	}
	testkit.Exec(t, s.dbURL, "UPDATE invitations SET expires_at = now()")
	s.get(current, "").shows(http.StatusGone, "has expired", "not", "<form", "Northwind")
	s.join(current, form, nil).shows(http.StatusGone, "has expired")
	if n := s.count("memberships"); n != 1 {
		t.Errorf("there are %d memberships", n)
	}
	s.send(request{Method: http.MethodPost, Path: current, Body: "{}"}).shows(http.StatusUnsupportedMediaType,
		"That did not work")
	s.join(current, url.Values{"name": {strings.Repeat("x", 70<<10)}}, nil).shows(http.StatusRequestEntityTooLarge,
		"That did not work")
	s.send(request{Method: http.MethodDelete, Path: current}).want(http.StatusMethodNotAllowed)
}

func TestPasswordsCannotBeGuessedOnThePageOfAnInvitation(t *testing.T) {
	t.Parallel()
	s := start(t)
	mia, _ := s.colleague("Mia Member", account.RoleMember)
	s.erase(s.accountPath("members/"+s.membership(mia.ID.String())), s.key).want(http.StatusOK)
	page, _ := s.invited(mia.Email)
	for range 5 {
		s.join(page, url.Values{"password": {"a wrong password"}}, nil).shows(http.StatusUnauthorized, "not the password")
	}
	got := s.join(page, url.Values{"password": {"a wrong password"}}, nil)
	got.shows(http.StatusTooManyRequests, "Too many requests")
	if got.Header.Get("Retry-After") == "" {
		t.Error("it does not say how long to wait")
	}
}
