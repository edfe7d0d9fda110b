package httpapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
)

// theft is a request of a stranger that has an id of the team in place of one of their own.
type theft struct {
	method, path string
	body         any
	want         int
}

// thefts are sent by the owner of another account. {name} is an id of the attacked team, {own} the stranger's
// company, {ownStatus} a status.
func thefts() []theft {
	about := func(more ...any) map[string]any {
		body := map[string]any{"company_id": "{company}"}
		for i := 0; i < len(more); i += 2 {
			body[more[i].(string)] = more[i+1]
		}
		return body
	}
	shared := map[string]any{"companies": []any{map[string]any{"company_id": "{company}", "permissions": "full"}}}
	return []theft{
		{"POST", "meeting-minutes", about("title", "Call"), 400},
		{"PATCH", "meeting-minutes/{ownMinutes}", about(), 400},
		{"POST", "form-submissions", about("data", answers("x")), 400},
		{"POST", "shared-links", shared, 400},
		{"PATCH", "members/{membership}", map[string]any{"role": "owner"}, 404},
		{"DELETE", "members/{membership}", nil, 404},
		{"DELETE", "invitations/{invitation}", nil, 404},
		{"PATCH", "company-statuses/{status}", map[string]any{"name": "Mine"}, 404},
		{"DELETE", "company-statuses/{status}", nil, 404},
		{"DELETE", "company-statuses/{ownStatus}?move_to={status}", nil, 400},
		{"PATCH", "company-settings/{field}", map[string]any{"required": true}, 404},
		{"DELETE", "company-settings/{field}", nil, 404},
		{"GET", "meeting-minutes/{minutes}", nil, 404},
		{"PATCH", "meeting-minutes/{minutes}", map[string]any{"processed": true}, 404},
		{"DELETE", "meeting-minutes/{minutes}", nil, 404},
		{"GET", "form-submissions/{submission}", nil, 404},
		{"PATCH", "form-submissions/{submission}", map[string]any{"processed": true}, 404},
		{"GET", "emails/{email}", nil, 404},
		{"PATCH", "emails/{email}", map[string]any{"processed": true}, 404},
		{"GET", "shared-links/{link}", nil, 404},
		{"DELETE", "shared-links/{link}", nil, 404},
		{"GET", "imports/{import}", nil, 404},
		{"GET", "imports/{import}/errors", nil, 404},
		{"GET", "imports/{import}/events", nil, 404},
		{"POST", "imports/{import}/cancel", nil, 404},
		{"POST", "imports/{import}/undo", nil, 404},
		{"GET", "imports/{import}/kept", nil, 404},
		{"PATCH", "integrations/{integration}", map[string]any{"enabled": false}, 404},
		{"DELETE", "integrations/{integration}", nil, 404},
		{"POST", "integrations/{integration}/rotate", nil, 404},
		{"GET", "integrations/{integration}/receipts", nil, 404},
		{"POST", "saved-views", map[string]any{"name": "Mine", "company_status_id": "{status}"}, 400},
		{"PATCH", "saved-views/{view}", map[string]any{"name": "Mine"}, 404},
		{"DELETE", "saved-views/{view}", nil, 404},
		{"GET", "webhooks/{webhook}", nil, 404},
		{"PATCH", "webhooks/{webhook}", map[string]any{"enabled": false}, 404},
		{"DELETE", "webhooks/{webhook}", nil, 404},
		{"POST", "webhooks/{webhook}/rotate", nil, 404},
		{"POST", "webhooks/{webhook}/test", nil, 404},
		{"POST", "webhooks/{webhook}/replay", map[string]any{"since": "2026-01-01T00:00:00Z"}, 404},
		{"GET", "webhooks/{webhook}/deliveries", nil, 404},
		{"POST", "webhooks/{webhook}/deliveries/{delivery}/replay", nil, 404},
		{"PATCH", "/api/v1/companies/{own}", map[string]any{"company_status_id": "{status}"}, 400},
		{"PATCH", "/api/v1/companies/{own}", map[string]any{"assignees": []any{"{extra}"}}, 400},
		{"POST", "/api/v1/companies/{own}/shares", map[string]any{"user_id": "{extra}"}, 400},
		{"GET", "/api/v1/companies/{own}/attachments/{attachment}/download", nil, 404},
		{"DELETE", "/api/v1/companies/{own}/attachments/{attachment}", nil, 404},
		{"POST", "/api/v1/companies", map[string]any{
			"account_id": "{ownAccount}", "name": "x",
			"company_status_id": "{status}",
		}, 400},
		{"POST", "/api/v1/companies", map[string]any{
			"account_id": "{ownAccount}", "name": "x",
			"assignees": []any{"{extra}"},
		}, 400},
		{"POST", "/api/v1/companies", map[string]any{"account_id": "{account}", "name": "x"}, 403},
		{"GET", "/api/v1/companies?account_id={account}", nil, 403},
		{"GET", "/api/v1/companies/{company}/download", nil, 403},
		{"DELETE", "/api/v1/api-keys/{key}", nil, 404},
	}
}

// filled returns a value, such as a body, with ids in place of their names.
func (sc *scene) filled(value any) any {
	switch v := value.(type) {
	case string:
		return sc.fill(v)
	case map[string]any:
		filled := map[string]any{}
		for name, member := range v {
			filled[name] = sc.filled(member)
		}
		return filled
	case []any:
		filled := make([]any, len(v))
		for i := range v {
			filled[i] = sc.filled(v[i])
		}
		return filled
	}
	return value
}

// Ids are no secrets. One of another team is refused in every place where an id is taken, and its thing stays as it
// was.
func TestIdsOfAnotherTeamAreOfNoUse(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, key := s.stranger()
	sc := s.newScene([callers]string{}, nil)
	base := "/api/v1/accounts/" + elsewhere.ID.String() + "/"
	sc.ids["ownAccount"], sc.ids["account"] = elsewhere.ID.String(), s.account.ID.String()
	sc.ids["own"] = s.make(key, map[string]any{"account_id": elsewhere.ID, "name": "Mine"})
	sc.ids["ownMinutes"] = s.post(base+"meeting-minutes", key,
		map[string]any{"title": "Mine"}).want(http.StatusCreated).text("data.meeting_minutes.id")
	sc.ids["ownStatus"] = s.post(base+"company-statuses", key, `{"name":"Mine"}`).want(http.StatusCreated).text("data.id")
	for _, one := range thefts() {
		path := sc.fill(one.path)
		if !strings.HasPrefix(path, "/") {
			path = base + path
		}
		got := s.send(request{Method: one.method, Path: path, Key: key, Body: sc.filled(one.body)})
		if got.Status != one.want {
			t.Errorf("%s %s: %d, want %d: %.300s", one.method, one.path, got.Status, one.want, got.Raw)
		}
		for _, secret := range []string{name, s.account.Name, "Olivia", "Eve Extra", sc.ids["code"]} {
			if strings.Contains(string(got.Raw), secret) {
				t.Errorf("%s %s tells of %q: %.300s", one.method, one.path, secret, got.Raw)
			}
		}
	}
	for path, shown := range map[string]string{
		s.accountPath("meeting-minutes/{minutes}"): name, s.accountPath("form-submissions/{submission}"): name,
		s.accountPath("emails/{email}"):      "Team mail",
		s.accountPath("shared-links/{link}"): name, s.accountPath("company-statuses"): "Other",
		s.accountPath("members"):      "Eve Extra",
		s.accountPath("integrations"): "Mailbox", companies + "/{company}": name,
	} {
		if got := s.get(sc.fill(path), s.key); got.Status != http.StatusOK || !strings.Contains(string(got.Raw), shown) {
			t.Errorf("after the attack %s is %d %.300s", path, got.Status, got.Raw)
		}
	}
}

// Neither the rows of an import nor an Idempotency-Key have an effect beyond what their sender may do.
func TestImportsAndKeysOfOthersReachNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, key := s.stranger()
	theirs := s.make(key, map[string]any{"account_id": elsewhere.ID, "name": name})
	row := fmt.Sprintf(`{"external_id":"1","company_id":%q,"data":[{"key":"a","value":1}]}`, theirs)
	if got := s.importOf("form-submissions", "application/x-ndjson", row).ended("completed").counts(); got != "1 0 0 1" {
		t.Errorf("an import with a company of another team counts %s", got)
	}
	first := s.keyed("same key", "/api/v1/api-keys", s.key, `{"name":"mine"}`).want(http.StatusCreated)
	other := s.keyed("same key", "/api/v1/api-keys", key, `{"name":"mine"}`).want(http.StatusCreated)
	if other.text("data.api_key.id") == first.text("data.api_key.id") || other.Header.Get("Idempotent-Replayed") != "" ||
		other.text("data.key") == "" {
		t.Errorf("another user's Idempotency-Key was answered with %s", other.Raw)
	}
	_, memberKey := s.colleague("Mia Member", account.RoleMember)
	body := map[string]any{"name": "Private one", "account_id": s.account.ID, "visibility": "private"}
	s.keyed("a team's", companies, s.key, body).want(http.StatusCreated)
	if got := s.keyed("a team's", companies, memberKey, body); strings.Contains(string(got.Raw), s.owner.ID.String()) {
		t.Errorf("a colleague's Idempotency-Key was answered with %s", got.Raw)
	}
	s.send(request{
		Method: http.MethodPost, Path: companies + "/" + uuid.NewString() + "/shares", Key: key,
		Body: map[string]any{"user_id": s.owner.ID},
	}).want(http.StatusNotFound)
}

// A malformed id is refused like one that nothing has, so after its account or company, and as soon as the body is
// read.
func TestMalformedIdsAreRefusedAfterTheirAccount(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, key := s.stranger()
	theirs := s.make(key, map[string]any{"account_id": elsewhere.ID})
	mine := s.make(s.key, nil)
	ids := regexp.MustCompile(`{[a-z]+}`)
	for _, one := range append(thefts(),
		theft{"DELETE", "/api/v1/companies/{own}/shares/{extra}", nil, http.StatusNotFound}) {
		if one.want != http.StatusNotFound || strings.Contains(one.path, "api-keys") {
			continue
		}
		path := strings.Replace(one.path, "{own}", mine, 1)
		foreign := strings.Replace(one.path, "{own}", theirs, 1)
		if !strings.HasPrefix(path, "/") {
			path, foreign = s.accountPath(path), "/api/v1/accounts/"+elsewhere.ID.String()+"/"+path
		}
		for path, want := range map[string]int{path: http.StatusNotFound, foreign: http.StatusForbidden} {
			path = ids.ReplaceAllString(path, "malformed")
			s.send(request{Method: one.method, Path: path, Key: s.key, Body: one.body}).want(want)
		}
	}
	for path, body := range map[string]any{
		"accounts/malformed/company-statuses": map[string]any{"name": " "},
		"accounts/malformed/invitations":      map[string]any{"email": "none", "role": account.RoleMember},
		"accounts/malformed/webhooks":         map[string]any{"url": "none"},
		"accounts/malformed/shared-links":     map[string]any{"companies": []any{}},
	} {
		s.post("/api/v1/"+path, s.key, body).want(http.StatusBadRequest)
	}
	body, media := encodeForm(t, part{"title", "", "no file"})
	s.send(request{
		Method: http.MethodPost, Path: companies + "/malformed/attachments", Key: s.key, Body: body, Type: media,
	}).want(http.StatusBadRequest)
}
