package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"dealflow/internal/testkit"
)

// keyWith makes a key of the owner with these scopes.
func (s *server) keyWith(scopes ...string) string {
	s.Helper()
	made := s.post("/api/v1/api-keys", s.key, map[string]any{"name": "test", "scopes": scopes}).want(http.StatusCreated)
	return made.text("data.key")
}

func TestAKeyDoesWhatItsScopesAllow(t *testing.T) {
	t.Parallel()
	s := start(t)
	reader, writer, admin := s.keyWith("read"), s.keyWith("write"), s.keyWith("admin")
	company := map[string]any{"account_id": s.account.ID, "name": "Acme"}
	for name, tc := range map[string]struct {
		request

		allowed string
	}{
		"a list":    {request{Path: "/api/v1/companies"}, reader},
		"who am I":  {request{Path: "/api/v1/auth/me"}, reader},
		"settings":  {request{Path: s.accountPath("company-statuses")}, reader},
		"keys":      {request{Path: "/api/v1/api-keys"}, reader},
		"HEAD":      {request{Method: http.MethodHead, Path: "/api/v1/companies"}, reader},
		"a company": {request{Method: http.MethodPost, Path: "/api/v1/companies", Body: company}, writer},
		"a status": {
			request{Method: http.MethodPost, Path: s.accountPath("company-statuses"), Body: map[string]any{"name": "Won"}},
			admin,
		},
		"integrations": {request{Path: s.accountPath("integrations")}, admin},
		"an invitation": {
			request{Method: http.MethodPost, Path: s.accountPath("invitations"), Body: map[string]any{"email": "a@b.example"}},
			admin,
		},
	} {
		for _, key := range []string{reader, writer, admin} {
			tc.Key = key
			got := s.send(tc.request)
			if key == tc.allowed && got.Status >= http.StatusBadRequest {
				t.Errorf("%s: %d %s", name, got.Status, got.Raw)
			}
			if key != tc.allowed && (got.Status != http.StatusForbidden ||
				(tc.Method != http.MethodHead && got.text("code") != "missing_scope")) {
				t.Errorf("%s without the scope: %d %s", name, got.Status, got.Raw)
			}
		}
	}
	s.get("/api/v1/nothing", writer).refused(http.StatusNotFound, "Resource not found", "unknown_path", "")
}

func TestAKeyGivesNoMoreThanItHas(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.keyWith("admin")
	for name, scopes := range map[string]any{"all by default": nil, "one more": []string{"admin", "read"}} {
		got := s.post("/api/v1/api-keys", admin, map[string]any{"name": "more", "scopes": scopes})
		if got.Status != http.StatusForbidden || got.text("code") != "missing_scope" {
			t.Errorf("%s: %d %s", name, got.Status, got.Raw)
		}
	}
	same := s.post("/api/v1/api-keys", admin, map[string]any{"name": "same", "scopes": []string{"admin", "admin"}}).
		want(http.StatusCreated)
	if same.text("data.api_key.scopes.0") != "admin" || same.at("data.api_key.scopes.1") != nil {
		t.Errorf("made %s", same.Raw)
	}
	for field, body := range map[string]map[string]any{
		"scopes":     {"name": "x", "scopes": []string{"everything"}},
		"scopes ":    {"name": "x", "scopes": []string{}},
		"expires_at": {"name": "x", "expires_at": "2020-01-01T00:00:00Z"},
	} {
		s.post("/api/v1/api-keys", s.key, body).refused(http.StatusBadRequest, "Invalid request body", "invalid_field",
			strings.TrimSpace(field))
	}
}

func TestAKeyExpires(t *testing.T) {
	t.Parallel()
	s := start(t)
	end := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	made := s.post("/api/v1/api-keys", s.key, map[string]any{"name": "brief", "expires_at": end}).want(http.StatusCreated)
	if made.text("data.api_key.expires_at") != end.Format("2006-01-02T15:04:05.000000Z") ||
		made.at("data.api_key.last_used_at") != nil {
		t.Errorf("made %s", made.Raw)
	}
	key := made.text("data.key")
	s.get("/api/v1/accounts", key).want(http.StatusOK)
	must(t, s.deps.SignIn.WriteUses(t.Context()))
	if listed := s.get("/api/v1/api-keys", s.key); listed.text("data.api_keys.1.last_used_at") == "" {
		t.Errorf("after its use it is %s", listed.Raw)
	}
	testkit.Exec(t, s.dbURL, "UPDATE api_keys SET expires_at = now() WHERE id = $1", made.text("data.api_key.id"))
	s.get("/api/v1/accounts", key).refused(http.StatusUnauthorized, "Invalid or expired API key", "invalid_api_key", "")
}

func TestASessionEndsForWantOfUse(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, cookie := s.register("ada@fund.example")
	testkit.Exec(t, s.dbURL,
		"UPDATE sessions SET idle_until = now() + interval '1 second', last_seen_at = now() - interval '6 days'")
	s.with(cookie, request{Path: "/api/v1/auth/me"}).want(http.StatusOK)
	must(t, s.deps.SignIn.WriteUses(t.Context()))
	moved := "SELECT (idle_until > now() + interval '6 days' AND last_seen_at > now() - interval '1 minute' AND ip = " +
		"'127.0.0.1')::text FROM sessions"
	if got := testkit.Texts(t, s.dbURL, moved); len(got) != 1 || got[0] != "true" {
		t.Errorf("its use moved the end: %v", got)
	}
	testkit.Exec(t, s.dbURL, "UPDATE sessions SET idle_until = now()")
	s.with(cookie, request{Path: "/api/v1/auth/me"}).refused(http.StatusUnauthorized, "Invalid or expired API key",
		"invalid_session", "")
}

// Whoever accepts an invitation gets a session, which may do everything.
func TestAKeyWithoutAllScopesAcceptsNoInvitation(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, stranger := s.stranger()
	invite := func() map[string]string {
		made := s.post("/api/v1/accounts/"+elsewhere.ID.String()+"/invitations", stranger,
			map[string]string{"email": s.owner.Email}).want(http.StatusCreated)
		return map[string]string{
			"token": strings.TrimPrefix(made.text("data.accept_url"), "https://deals.example/invitations/"),
		}
	}
	token := invite()
	for _, scopes := range [][]string{{"read"}, {"write"}, {"admin"}, {"write", "admin"}} {
		got := s.post("/api/v1/invitations/accept", s.keyWith(scopes...), token)
		got.refused(http.StatusForbidden, "Access denied to this resource", "missing_scope", "scopes")
		if got.cookie() != nil {
			t.Errorf("%v: a session begins", scopes)
		}
	}
	if s.post("/api/v1/invitations/accept", s.key, token).want(http.StatusOK).cookie() == nil {
		t.Error("a key with all scopes begins no session")
	}
}
