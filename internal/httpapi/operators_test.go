package httpapi_test

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"

	"dealflow/internal/httpapi/operations"
)

// as asks for a page with HTTP Basic credentials.
func (s *server) as(user, password, method, path string, header http.Header) reply {
	s.Helper()
	sent := s.request(method, path, nil)
	maps.Copy(sent.Header, header)
	sent.SetBasicAuth(user, password)
	got := s.do(sent)
	s.checks.check(s.T, sent, nil, got)
	return got
}

func TestOperatorsPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.form(s.key, s.parts()...).want(http.StatusOK)
	s.get("/api/v1/companies/"+missing(), s.key).want(http.StatusNotFound)
	s.get("/a/path/that/is/nowhere", "").want(http.StatusNotFound)
	metrics := string(s.as("operator", "correct horse", http.MethodGet, "/metrics", nil).want(http.StatusOK).Raw)
	for _, line := range []string{
		`dealflow_http_requests_total{method="POST",route="/api/v1/companies/upload/ai",status="200"} 1`,
		`dealflow_http_requests_total{method="GET",route="/api/v1/companies/:id",status="404"} 1`,
		`dealflow_http_requests_total{method="GET",route="unmatched",status="404"} 1`,
		`dealflow_http_request_duration_seconds_count{method="POST",route="/api/v1/companies/upload/ai"} 1`,
	} {
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
	if strings.Contains(metrics, "nowhere") {
		t.Error("the metrics tell raw paths")
	}
	for _, path := range []string{
		"/admin/queues", "/admin/queues/", "/admin/queues/api/queues", "/admin/queues/static/js/main.js",
	} {
		got := s.as("operator", "correct horse", http.MethodGet, path, nil).want(http.StatusOK)
		if string(got.Raw) != "dashboard "+path || got.Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: %s", path, got.Raw)
		}
	}
	s.as("operator", "correct horse", http.MethodPost, "/admin/queues/api/queues/x:pause", nil).want(http.StatusOK)
	s.as("operator", "correct horse", http.MethodDelete, "/admin/queues/api/queues/x", nil).want(http.StatusOK)
}

func TestOperatorsPagesAreForOperators(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/metrics", "/admin/queues", "/admin/queues/api/queues"} {
		for name, header := range map[string]http.Header{"nothing": nil, "a key": {"Authorization": {"Bearer " + s.key}}} {
			got := s.send(request{Path: path, Header: header})
			got.refused(http.StatusUnauthorized, "Invalid or expired API key", "operator_credentials_required", "")
			if !strings.HasPrefix(got.Header.Get("WWW-Authenticate"), "Basic ") ||
				strings.Contains(string(got.Raw), "dealflow_http") {
				t.Errorf("%s with %s: %v %s", path, name, got.Header, got.Raw)
			}
		}
	}
	forged := http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}
	got := s.as("operator", "correct horse", http.MethodDelete, "/admin/queues/api/queues/x", forged)
	got.refused(http.StatusForbidden, "Access denied to this resource", "cross_origin", "")
	if strings.Contains(s.log.String(), "correct horse") {
		t.Error("the log tells the operator's password")
	}
}

func TestGuessingTheOperatorsPassword(t *testing.T) {
	t.Parallel()
	s := start(t) // five wrong ones a minute
	awayFromTheMinutesEnd()
	for _, guess := range [][2]string{
		{"operator", ""},
		{"operator", "correct"},
		{"", "correct horse"},
		{"Operator", "correct horse"},
		{"operator", "correct horse "},
	} {
		s.as(guess[0], guess[1], http.MethodGet, "/metrics", nil).want(http.StatusUnauthorized)
	}
	s.as("operator", "correct horse", http.MethodGet, "/metrics", nil).want(http.StatusOK)
	refused := s.as("operator", "a sixth", http.MethodGet, "/admin/queues", nil)
	refused.refused(http.StatusTooManyRequests, "Rate limit exceeded", "rate_limited", "")
	if refused.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	// The right credentials are refused too: else an attacker could go on guessing, and would see which are right.
	s.as("operator", "correct horse", http.MethodGet, "/metrics", nil).want(http.StatusTooManyRequests)
	s.get("/api/v1/accounts", s.key).want(http.StatusOK)
}

func TestWithoutCredentialsTheOperatorsPagesAreOff(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.OperatorUser, c.OperatorPassword = "", "" })
	for _, path := range []string{"/metrics", "/admin/queues", "/admin/queues/x"} {
		for _, user := range []string{"", "operator"} {
			s.as(user, "", http.MethodGet, path, nil).refused(http.StatusNotFound, "Resource not found", "unknown_path", "")
		}
	}
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	var told operations.Readiness
	s := start(t, func(c *setup) { c.Ready = func(context.Context) operations.Readiness { return told } })
	tests := map[string]struct {
		told     operations.Readiness
		status   string
		degraded int
	}{
		"all well":      {operations.Readiness{Workers: 3}, "ready", 0},
		"no worker":     {operations.Readiness{}, "degraded", 1},
		"no Redis":      {operations.Readiness{Redis: "does not answer", Workers: 1}, "degraded", 1},
		"neither":       {operations.Readiness{Redis: "does not answer"}, "degraded", 2},
		"no storage":    {operations.Readiness{Storage: "cannot be written", Workers: 1}, "degraded", 1},
		"nothing works": {operations.Readiness{Refusal: "run `dealflow migrate`", Redis: "does not answer"}, "", 0},
	}
	for name, tc := range tests {
		told = tc.told
		got := s.get("/readyz", "")
		if tc.told.Refusal != "" {
			got.refused(http.StatusServiceUnavailable, "Service unavailable", "unavailable", "database")
			if !strings.Contains(string(got.Raw), tc.told.Refusal) {
				t.Errorf("%s: the reason is not told: %s", name, got.Raw)
			}
			continue
		}
		if got.want(http.StatusOK).at("data.status") != tc.status || len(got.at("data.degraded").([]any)) != tc.degraded {
			t.Errorf("%s: %s", name, got.Raw)
		}
	}
	if got := s.get("/healthz", "").want(http.StatusOK); got.at("data.status") != "ok" || got.at("success") != true {
		t.Errorf("health: %s", got.Raw)
	}
}

func TestTheAccessLog(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.send(request{
		Path: "/api/v1/companies/" + missing() + "?token=hush", Key: s.key, Header: http.Header{"X-Request-Id": {"find-me"}},
	})
	s.get("/files/companies/x?signature=hush", "")
	s.get("/healthz", "")
	var line string
	for l := range strings.SplitSeq(s.log.String(), "\n") {
		if strings.Contains(l, "find-me") && strings.Contains(l, `"msg":"request"`) {
			line = l
		}
	}
	for _, want := range []string{
		`"level":"INFO"`, `"method":"GET"`, `"route":"/api/v1/companies/:id"`, `"status":404`, `"duration_ms":`,
		`"client":"127.0.0.1"`, `"error":"not_found"`,
		`"user_id":"` + s.owner.ID.String() + `"`, `"key_id":"` + s.keyID(s.key).String() + `"`,
	} {
		if !strings.Contains(line, want) {
			t.Errorf("the line lacks %s: %s", want, line)
		}
	}
	for _, secret := range []string{s.key, "hush"} {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the log tells %q", secret)
		}
	}
	if strings.Contains(s.log.String(), `"level":"INFO","msg":"request","method":"GET","route":"/healthz"`) {
		t.Error("probes fill the log")
	}
}
