package httpapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestKeysAreMadeListedAndDeleted(t *testing.T) {
	t.Parallel()
	s := start(t)
	made := s.post("/api/v1/api-keys", s.key, map[string]any{"name": "  Nightly <import>  ", "unknown": 1}).
		want(http.StatusCreated)
	full, id := made.text("data.key"), made.text("data.api_key.id")
	if !regexp.MustCompile(`^mk_[a-z0-9]{32,}$`).MatchString(full) ||
		made.text("data.api_key.name") != "Nightly <import>" {
		t.Errorf("made %s", made.Raw)
	}
	if made.text("authType") != "api_key" || !strings.HasPrefix(full, made.text("data.api_key.hint")) {
		t.Errorf("made %s", made.Raw)
	}
	listed := s.get("/api/v1/api-keys", full).want(http.StatusOK)
	if listed.text("data.api_keys.1.id") != id || listed.at("data.api_keys.2") != nil {
		t.Errorf("listed %s", listed.Raw)
	}
	for _, secret := range []string{full, full[10:], s.key} {
		if strings.Contains(string(listed.Raw), secret) {
			t.Errorf("the list tells the key %s", secret)
		}
	}
	if strings.Contains(s.log.String(), full) {
		t.Error("the log tells the key")
	}
	deleted := s.send(request{Method: http.MethodDelete, Path: "/api/v1/api-keys/" + id, Key: full}).want(http.StatusOK)
	if deleted.text("data.message") == "" {
		t.Errorf("deleted with %s", deleted.Raw)
	}
	s.get("/api/v1/accounts", full).want(http.StatusUnauthorized)
	s.send(request{Method: http.MethodDelete, Path: "/api/v1/api-keys/" + id, Key: s.key}).want(http.StatusNotFound)
}

func TestKeysOfOthersAreNotThere(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, other := s.colleague("Mia Member", "member")
	for name, id := range map[string]string{
		"a colleague's": s.keyID(s.key).String(), "none": missing(), "malformed": "42",
		"another form":    "{" + s.keyID(other).String() + "}",
		"without hyphens": strings.ReplaceAll(s.keyID(other).String(), "-", ""),
	} {
		s.send(request{Method: http.MethodDelete, Path: "/api/v1/api-keys/" + id, Key: other}).refused(http.StatusNotFound,
			"Resource not found", "not_found", "")
		if t.Failed() {
			t.Fatal(name)
		}
	}
	listed := s.get("/api/v1/api-keys", other).want(http.StatusOK)
	if listed.at("data.api_keys.1") != nil || listed.text("data.api_keys.0.id") != s.keyID(other).String() {
		t.Errorf("a colleague is shown %s", listed.Raw)
	}
	s.get("/api/v1/accounts", s.key).want(http.StatusOK)
}

func TestBodiesThatAreNone(t *testing.T) {
	t.Parallel()
	s := start(t)
	deep := func(n int) string {
		return `{"name":"x","a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`
	}
	tests := map[string]struct {
		body, media string
		status      int
		code, field string
	}{
		"empty":           {"", "application/json", 400, "invalid_json", "body"},
		"no JSON":         {"name=x", "application/json", 400, "invalid_json", "body"},
		"two values":      {`{"name":"x"} {}`, "application/json", 400, "invalid_json", "body"},
		"an array":        {`[{"name":"x"}]`, "application/json", 400, "invalid_json", "body"},
		"null":            {`null`, "application/json", 400, "invalid_json", "body"},
		"a string":        {`"name"`, "application/json", 400, "invalid_json", "body"},
		"comma too many":  {`{"name":"x",}`, "application/json", 400, "invalid_json", "body"},
		"byte order mark": {"\ufeff" + `{"name":"x"}`, "application/json", 400, "invalid_json", "body"},
		"nothing sent":    {`{}`, "application/json", 400, "invalid_field", "name"},
		"null name":       {`{"name":null}`, "application/json", 400, "invalid_field", "name"},
		"blank name":      {`{"name":" \t\n"}`, "application/json", 400, "invalid_field", "name"},
		"number":          {`{"name":5}`, "application/json", 400, "invalid_field", "name"},
		"object":          {`{"name":{"a":1}}`, "application/json", 400, "invalid_field", "name"},
		"another case":    {`{"Name":"x"}`, "application/json", 400, "invalid_field", "name"},
		"256 characters": {
			`{"name":"` + strings.Repeat("é", 256) + `"}`, "application/json", 400, "invalid_field", "name",
		},
		"NUL":                {`{"name":"a\u0000b"}`, "application/json", 400, "invalid_json", "name"},
		"raw NUL":            {"{\"name\":\"a\x00b\"}", "application/json", 400, "invalid_json", "body"},
		"invalid UTF-8":      {"{\"name\":\"a\xffb\"}", "application/json", 400, "invalid_json", "name"},
		"half a pair":        {`{"name":"a\ud83d"}`, "application/json", 400, "invalid_json", "name"},
		"other half":         {`{"name":"\ude00a"}`, "application/json", 400, "invalid_json", "name"},
		"half, then another": {`{"name":"\ud83d\u0041"}`, "application/json", 400, "invalid_json", "name"},
		"NUL in another":     {`{"name":"x","other":["\u0000"]}`, "application/json", 400, "invalid_json", "other"},
		"101 levels":         {deep(101), "application/json", 400, "invalid_json", "body"},
		"huge exponent":      {`{"name":"x","other":1e999}`, "application/json", 400, "invalid_json", "other"},
		"65 KB": {
			`{"name":"` + strings.Repeat("a", 65<<10) + `"}`, "application/json", 413, "body_too_large", "body",
		},
		"a form":              {`name=x`, "application/x-www-form-urlencoded", 415, "unsupported_media_type", "Content-Type"},
		"text":                {`{"name":"x"}`, "text/plain", 415, "unsupported_media_type", "Content-Type"},
		"unreadable type":     {`{"name":"x"}`, ";;", 415, "unsupported_media_type", "Content-Type"},
		"JSON in another hat": {`{"name":"x"}`, "application/jsonp", 415, "unsupported_media_type", "Content-Type"},
	}
	messages := map[int]string{400: "Invalid request body", 413: "Request too large", 415: "Unsupported media type"}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := s.send(request{Method: http.MethodPost, Path: "/api/v1/api-keys", Key: s.key, Body: tc.body, Type: tc.media})
			got.t = t
			got.refused(tc.status, messages[tc.status], tc.code, tc.field)
		})
	}
	if n := s.count("api_keys"); n != 1 {
		t.Errorf("%d keys are stored after refusals alone", n)
	}
	compressed := request{
		Method: http.MethodPost, Path: "/api/v1/api-keys", Key: s.key, Body: `{"name":"x"}`,
		Header: http.Header{"Content-Encoding": {"gzip"}},
	}
	s.send(compressed).refused(http.StatusUnsupportedMediaType, "Unsupported media type", "unsupported_content_encoding",
		"Content-Encoding")
	for name, body := range map[string]string{
		"100 levels": deep(100), "a pair": `{"name":"\ud83d\ude00"}`, "escapes": `{"name":"\"\\\/\b\f\n\r\t\\u0000"}`,
		"255 characters": `{"name":"` + strings.Repeat("é", 255) + `"}`,
		"twice":          `{"name":5,"name":"x"}`,
	} {
		if got := s.post("/api/v1/api-keys", s.key, body); got.Status != http.StatusCreated {
			t.Errorf("%s: %d %s", name, got.Status, got.Raw)
		}
	}
	s.send(request{
		Method: http.MethodPost, Path: "/api/v1/api-keys", Key: s.key, Body: `{"name":"x"}`,
		Type: "application/json; charset=utf-8",
	}).want(http.StatusCreated)
}

func TestAccountsOfTheCaller(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, stranger := s.stranger()
	_, member := s.colleague("Mia Member", "member")
	for name, tc := range map[string]struct {
		key, id, role string
		not           uuid.UUID
	}{
		"owner":    {s.key, s.account.ID.String(), "owner", elsewhere.ID},
		"member":   {member, s.account.ID.String(), "member", elsewhere.ID},
		"stranger": {stranger, elsewhere.ID.String(), "owner", s.account.ID},
	} {
		got := s.get("/api/v1/accounts", tc.key).want(http.StatusOK)
		if got.text("data.accounts.0.id") != tc.id || got.text("data.accounts.0.role") != tc.role ||
			got.at("data.accounts.1") != nil {
			t.Errorf("%s: %s", name, got.Raw)
		}
		if strings.Contains(string(got.Raw), tc.not.String()) {
			t.Errorf("%s is told of another's account", name)
		}
	}
}
