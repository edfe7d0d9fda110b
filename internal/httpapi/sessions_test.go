package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"dealflow/internal/httpapi"
	"dealflow/internal/ratelimit"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/accountkit"
)

const password = "correct horse battery"

// register makes a user over HTTP and returns the answer and their cookie.
func (s *server) register(email string) (reply, *http.Cookie) {
	s.Helper()
	body := map[string]any{"email": email, "name": "Ada", "password": password, "account_name": "Fund"}
	got := s.post("/api/v1/auth/register", "", body).want(http.StatusCreated)
	return got, got.cookie()
}

// cookie returns the session's cookie that an answer sets; nil if it sets none.
func (r reply) cookie() *http.Cookie {
	for _, line := range r.Header.Values("Set-Cookie") {
		if cookie, err := http.ParseSetCookie(line); err == nil && cookie.Name == "dealflow_session" {
			return cookie
		}
	}
	return nil
}

// with sends a request with a session's cookie and these headers (name, value …).
func (s *server) with(cookie *http.Cookie, r request, headers ...string) reply {
	s.Helper()
	r.Header = http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.send(r)
}

func TestASessionFromRegistrationToLogout(t *testing.T) {
	t.Parallel()
	s := start(t)
	registered, cookie := s.register("ada@fund.example")
	if registered.text("authType") != "session" || registered.text("data.user.email") != "ada@fund.example" ||
		registered.text("data.accounts.0.role") != "owner" {
		t.Errorf("registered %s", registered.Raw)
	}
	if cookie == nil || !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteLaxMode ||
		cookie.Path != "/" || cookie.MaxAge != int(accountkit.SessionLifetime.Seconds()) || len(cookie.Value) < 43 {
		t.Fatalf("the cookie is %+v", cookie)
	}
	login := s.post("/api/v1/auth/login", "", map[string]any{"email": "ADA@fund.example ", "password": password}).
		want(http.StatusOK)
	second := login.cookie()
	if second == nil || second.Value == cookie.Value || login.text("data.user.id") != registered.text("data.user.id") {
		t.Fatalf("logged in with %s, %v", login.Raw, second)
	}
	for _, secret := range []string{cookie.Value, second.Value, password} {
		if strings.Contains(string(registered.Raw)+string(login.Raw)+s.log.String(), secret) {
			t.Errorf("an answer or the log tells %q", secret)
		}
	}
	me := s.with(cookie, request{Path: "/api/v1/auth/me"}).want(http.StatusOK)
	if me.text("authType") != "session" || me.text("data.user.name") != "Ada" ||
		me.text("data.accounts.0.name") != "Fund" || me.at("data.accounts.1") != nil {
		t.Errorf("me is %s", me.Raw)
	}
	account := me.text("data.accounts.0.id")
	if stages := s.with(cookie, request{Path: "/api/v1/accounts/" + account + "/company-statuses"}).
		want(http.StatusOK); stages.at("data.6") == nil {
		t.Errorf("the pipeline is %s", stages.Raw)
	}
	s.with(cookie, request{Path: "/api/v1/accounts/" + s.account.ID.String() + "/members"}).refused(http.StatusForbidden,
		"Access denied to this resource", "access_denied", "")

	out := s.with(cookie, request{Method: http.MethodPost, Path: "/api/v1/auth/logout"}).want(http.StatusOK)
	if gone := out.cookie(); gone == nil || gone.MaxAge >= 0 || gone.Value != "" || out.text("data.message") == "" {
		t.Errorf("logged out with %s and %v", out.Raw, gone)
	}
	s.with(cookie, request{Path: "/api/v1/auth/me"}).refused(http.StatusUnauthorized, "Invalid or expired API key",
		"invalid_session", "")
	s.with(second, request{Path: "/api/v1/auth/me"}).want(http.StatusOK)
}

func TestTheKeyGoesBeforeTheCookie(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, cookie := s.register("ada@fund.example")
	me := s.with(cookie, request{Path: "/api/v1/auth/me", Key: s.key}).want(http.StatusOK)
	if me.text("data.user.id") != s.owner.ID.String() || me.text("authType") != "api_key" {
		t.Errorf("with both, me is %s", me.Raw)
	}
	s.with(cookie, request{Path: "/api/v1/auth/me", Key: "mk_wrong"}).refused(http.StatusUnauthorized,
		"Invalid or expired API key", "invalid_api_key", "")
	s.with(cookie, request{Method: http.MethodPost, Path: "/api/v1/auth/logout", Key: s.key}, "Origin",
		"https://evil.example").want(http.StatusOK)
	s.with(cookie, request{Path: "/api/v1/auth/me"}).want(http.StatusOK)
	s.get("/api/v1/auth/me", "").refused(http.StatusUnauthorized, "Invalid or expired API key", "missing_api_key", "")
	s.get("/api/v1/auth/login", "").want(http.StatusUnauthorized)
}

func TestOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, cookie := s.register("ada@fund.example")
	login := request{
		Method: http.MethodPost, Path: "/api/v1/auth/login",
		Body: map[string]any{"email": "ada@fund.example", "password": password},
	}
	key := request{Method: http.MethodPost, Path: "/api/v1/api-keys", Body: `{"name":"stolen"}`}
	for name, tc := range map[string]struct {
		request

		headers []string
		passes  bool
	}{
		"POST by another site":      {key, []string{"Sec-Fetch-Site", "cross-site"}, false},
		"POST by a sibling":         {key, []string{"Sec-Fetch-Site", "same-site"}, false},
		"POST with another origin":  {key, []string{"Origin", "https://evil.example"}, false},
		"POST with a null origin":   {key, []string{"Origin", "null"}, false},
		"GET by another site":       {request{Path: "/api/v1/accounts"}, []string{"Sec-Fetch-Site", "cross-site"}, false},
		"login by another site":     {login, []string{"Sec-Fetch-Site", "cross-site"}, false},
		"login with another origin": {login, []string{"Origin", "https://evil.example"}, false},
		"POST by our own page": {
			key, []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://deals.example"}, true,
		},
		"POST of our public origin":    {key, []string{"Origin", "https://deals.example"}, true},
		"POST by a program":            {key, nil, true},
		"GET typed by a person":        {request{Path: "/api/v1/accounts"}, []string{"Sec-Fetch-Site", "none"}, true},
		"login of an old browser here": {login, []string{"Origin", s.url}, true},
	} {
		got := s.with(cookie, tc.request, tc.headers...)
		if tc.passes == (got.Status == http.StatusForbidden) ||
			(!tc.passes && (got.at("code") != "cross_origin" || got.cookie() != nil)) {
			t.Errorf("%s: %d %s", name, got.Status, got.Raw)
		}
	}
	if n := s.count("api_keys"); n != 4 {
		t.Errorf("%d keys are stored", n)
	}
}

func TestEntrancesRefuse(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.register("ada@fund.example")
	for name, tc := range map[string]struct {
		path, body  string
		status      int
		code, field string
	}{
		"login without anything": {"login", `{}`, 400, "invalid_field", "password"},
		"login with numbers":     {"login", `{"email":1,"password":2}`, 400, "invalid_field", "email"},
		"login with another": {
			"login", `{"email":"ada@fund.example","password":"correct horse Battery"}`, 401, "invalid_credentials", "",
		},
		"login of nobody": {
			"login", `{"email":"eve@fund.example","password":"correct horse battery"}`, 401, "invalid_credentials", "",
		},
		"login without password": {
			"login", `{"email":"` + s.owner.Email + `","password":""}`, 401, "invalid_credentials", "",
		},
		"register without": {"register", `{}`, 400, "invalid_field", "account_name"},
		"register, all wrong": {
			"register", `{"email":"ada","name":"","password":"short","account_name":" "}`, 400, "invalid_field", "password",
		},
		"register 201 characters": {
			"register", `{"email":"a@b.example","name":"A","password":"` + strings.Repeat("é", 201) + `","account_name":"A"}`,
			400, "invalid_field", "password",
		},
	} {
		got := s.post("/api/v1/auth/"+tc.path, "", tc.body)
		messages := map[int]string{400: "Invalid request body", 401: "Invalid or expired API key", 409: "Conflict"}
		got.refused(tc.status, messages[tc.status], tc.code, tc.field)
		if got.cookie() != nil || got.Header.Get("X-RateLimit-Limit") == "" {
			t.Errorf("%s: headers %v", name, got.Header)
		}
	}
	if n := s.count("sessions"); n != 1 {
		t.Errorf("%d sessions are stored", n)
	}
}

func TestRegistrationIsClosed(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.SignupOpen, chosen.PublicURL = false, "http://deals.example" })
	body := map[string]any{"email": "ada@fund.example", "name": "Ada", "password": password, "account_name": "Fund"}
	s.post("/api/v1/auth/register", "", body).refused(http.StatusForbidden, "Access denied to this resource",
		"signup_closed", "")
	if n := s.count("users"); n != 1 {
		t.Errorf("%d users are stored", n)
	}
	must(t, s.deps.SignIn.SetPassword(t.Context(), s.owner.ID, password))
	got := s.post("/api/v1/auth/login", "", map[string]any{"email": s.owner.Email, "password": password}).
		want(http.StatusOK)
	if cookie := got.cookie(); cookie == nil || cookie.Secure || !cookie.HttpOnly {
		t.Errorf("by plain http the cookie is %+v", cookie)
	}
}

func TestGuessingPasswordsIsSlow(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.register("ada@fund.example")
	s.register("bob@fund.example")
	login := func(email, password string) reply {
		return s.post("/api/v1/auth/login", "", map[string]any{"email": email, "password": password})
	}
	// guess sends wrong passwords until they are refused, and then the right one. It tries again if the minute ends
	// between the two.
	guess := func(wrong func() string, right string) reply {
		var got reply
		for range 3 {
			for range 40 {
				if login(wrong(), "wrong password").Status == http.StatusTooManyRequests {
					break
				}
			}
			if got = login(right, password); got.Status == http.StatusTooManyRequests {
				break
			}
		}
		return got
	}
	for range 6 {
		login("ada@fund.example", password).want(http.StatusOK) // right ones do not count
	}
	locked := guess(func() string { return "ada@fund.example" }, "ADA@fund.example")
	locked.refused(http.StatusTooManyRequests, "Rate limit exceeded", "rate_limited", "")
	if locked.Header.Get("Retry-After") == "" || locked.Header.Get("X-RateLimit-Remaining") != "0" ||
		locked.Header.Get("X-RateLimit-Limit") != "5" {
		t.Errorf("the headers are %v", locked.Header)
	}
	login("bob@fund.example", password).want(http.StatusOK)
	s.get("/api/v1/accounts", s.key).want(http.StatusOK)
	guess(func() string { return uuid.NewString() + "@fund.example" }, "bob@fund.example").
		refused(http.StatusTooManyRequests, "Rate limit exceeded", "rate_limited", "")
}

func TestSessionsAreLimitedLikeKeys(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) {
		chosen.Limiter = ratelimit.New(testkit.Redis(t),
			ratelimit.Options{PerMinute: 6, Prefix: "few:", Logger: chosen.Logger})
	})
	_, first := s.register("ada@fund.example")
	_, second := s.register("bob@fund.example")
	passed := 0
	for range 20 {
		if s.with(first, request{Path: "/api/v1/auth/me"}).Status == http.StatusOK {
			passed++
		}
	}
	if passed < 6 || passed > 12 { // the minute may end once
		t.Errorf("%d of 20 requests passed", passed)
	}
	s.with(second, request{Path: "/api/v1/auth/me"}).want(http.StatusOK)
}

func TestAPublicURLThatIsNone(t *testing.T) {
	t.Parallel()
	s := start(t)
	deps := s.deps
	deps.PublicURL, deps.Metrics = "https://deals example", prometheus.NewRegistry()
	if _, err := httpapi.New(deps); err == nil {
		t.Error("it was taken")
	}
}
