package httpapi_test

import (
	"net/http"
	"testing"

	"dealflow/internal/ratelimit"
	"dealflow/internal/testkit"
)

// TestADeletedKeyStopsAtOnce deletes a key that the process has seen: also what is refused before anything is read is
// refused as unknown.
func TestADeletedKeyStopsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, key := s.colleague("Mia Member", "member")
	id := s.company(s.key)
	paths := []string{
		"/api/v1/companies/" + id, "/api/v1/companies?search=anvils",
		"/api/v1/accounts/" + s.account.ID.String() + "/dashboard",
		"/api/v1/accounts/" + s.account.ID.String() + "/company-statuses", "/api/v1/accounts",
	}
	for _, path := range paths {
		if got := s.get(path, key).want(http.StatusOK); got.text("authType") != "api_key" {
			t.Errorf("%s: authType %q", path, got.text("authType"))
		}
	}
	testkit.Exec(t, s.dbURL, "DELETE FROM api_keys WHERE id = $1", s.keyID(key))
	for _, path := range append(paths, "/api/v1/companies/"+missing(), "/api/v1/companies?limit=none",
		"/api/v1/companies/none", "/api/v1/none") {
		if got := s.get(path, key).want(http.StatusUnauthorized); got.Header.Get("WWW-Authenticate") != "Bearer" ||
			got.text("code") != "invalid_api_key" {
			t.Errorf("%s: %s, header %q", path, got.Raw, got.Header.Get("WWW-Authenticate"))
		}
	}
}

// TestGuessedKeysCountForTheirAddress sends invalid keys, among them one that was valid: each request counts for the
// address, as one without a key does.
func TestGuessedKeysCountForTheirAddress(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) {
		c.Limiter = ratelimit.New(testkit.Redis(t), ratelimit.Options{PerMinute: 5, Logger: c.Logger})
	})
	_, key := s.colleague("Mia Member", "member")
	s.get("/api/v1/companies", key).want(http.StatusOK)
	testkit.Exec(t, s.dbURL, "DELETE FROM api_keys WHERE id = $1", s.keyID(key))
	for n, guess := range []string{key, key, "mk_one", "mk_two", "none"} {
		got := s.get("/api/v1/companies", guess)
		if rest := got.Header.Get("X-RateLimit-Remaining"); got.Status != http.StatusUnauthorized ||
			rest != string(rune('4'-n)) {
			t.Errorf("guess %d: %d, %s left", n+1, got.Status, rest)
		}
	}
	s.get("/api/v1/companies", "mk_three").want(http.StatusTooManyRequests)
	s.get("/api/v1/companies", key).want(http.StatusTooManyRequests)
	s.get("/api/v1/companies", s.key).want(http.StatusOK)
}
