package httpapi_test

import (
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"dealflow/internal/testkit"
)

// share makes a link to companies at one permission and returns its id and its code.
func (s *server) share(key, permissions string, more map[string]any, companies ...string) (id, code string) {
	s.Helper()
	body := map[string]any{}
	maps.Copy(body, more)
	var items []map[string]any
	for _, company := range companies {
		items = append(items, map[string]any{"company_id": company, "permissions": permissions})
	}
	body["companies"] = items
	made := s.post(s.accountPath("shared-links"), key, body).want(http.StatusCreated)
	return made.text("data.link.id"), made.text("data.link.short_code")
}

func TestLinksAreMadeListedReadAndDeleted(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true; chosen.AnalysisWait = time.Millisecond })
	company := s.company(s.key, part{Name: "name", Value: "Acme <&>"})
	made := s.post(s.accountPath("shared-links"), s.key, map[string]any{
		"name": " Spring ", "description": "For you", "password": "correct horse", "expires_at": "2099-01-01T12:00:00+02:00",
		"unknown":   1,
		"companies": []any{map[string]any{"company_id": company, "permissions": "full"}},
	}).want(http.StatusCreated)
	if names := made.keys("data.link"); len(names) != 3 ||
		!regexp.MustCompile(`^[0-9A-Za-z]{12}$`).MatchString(made.text("data.link.short_code")) ||
		made.text("data.link.short_url") != "https://deals.example/s/"+made.text("data.link.short_code") {
		t.Errorf("made %s", made.Raw)
	}
	id := made.text("data.link.id")
	bareID, _ := s.share(s.key, "view", nil, company)
	read := s.get(s.accountPath("shared-links/"+id), s.key).want(http.StatusOK)
	want := map[string]any{
		"name": "Spring", "description": "For you", "password_protected": true, "is_active": true,
		"expires_at": "2099-01-01T10:00:00.000000Z",
		"created_by": s.owner.ID.String(), "account_id": s.account.ID.String(), "id": id,
		"companies": []any{map[string]any{"company_id": company, "company_name": "Acme <&>", "permissions": "full"}},
	}
	for name, value := range want {
		if got := read.at("data.link." + name); !reflect.DeepEqual(got, value) {
			t.Errorf("%s is %v, want %v", name, got, value)
		}
	}
	listed := s.get(s.accountPath("shared-links"), s.key).want(http.StatusOK)
	if listed.text("data.links.0.id") != bareID || !reflect.DeepEqual(listed.at("data.links.1"), read.at("data.link")) ||
		listed.at("data.links.2") != nil {
		t.Errorf("listed %s", listed.Raw)
	}
	if bare := listed.at("data.links.0").(map[string]any); bare["name"] != nil || bare["description"] != nil ||
		bare["expires_at"] != nil || bare["password_protected"] != false {
		t.Errorf("a bare link is %v", bare)
	}
	for _, secret := range []string{"correct horse", "argon2id"} {
		if strings.Contains(string(listed.Raw)+string(read.Raw)+s.log.String(), secret) {
			t.Errorf("an answer or the log tells %q", secret)
		}
	}
	if gone := s.erase(s.accountPath("shared-links/"+id), s.key).want(http.StatusOK); gone.text("data.message") == "" {
		t.Errorf("deleted with %s", gone.Raw)
	}
	s.get(s.accountPath("shared-links/"+id), s.key).want(http.StatusNotFound)
	s.erase(s.accountPath("shared-links/"+id), s.key).want(http.StatusNotFound)
}

func TestLinksAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true; chosen.AnalysisWait = time.Millisecond })
	elsewhere, stranger := s.stranger()
	_, member := s.colleague("Mia Member", "member")
	team, hidden := s.company(s.key), s.company(s.key, part{Name: "visibility", Value: "shared"})
	foreign := s.company(stranger, part{Name: "account_id", Value: elsewhere.ID.String()})
	one := func(id, permissions string) string {
		return `{"company_id":"` + id + `","permissions":"` + permissions + `"}`
	}
	good := `"companies":[` + one(team, "view") + `]`
	for name, tc := range map[string]struct{ body, field string }{
		"no companies":        {`{}`, "companies"},
		"null":                {`{"companies":null}`, "companies"},
		"none":                {`{"companies":[]}`, "companies"},
		"no array":            {`{"companies":{}}`, "companies"},
		"no objects":          {`{"companies":["` + team + `"]}`, "companies"},
		"null in it":          {`{"companies":[null]}`, "companies.0.company_id"},
		"no permissions":      {`{"companies":[{"company_id":"` + team + `"}]}`, "companies.0.permissions"},
		"unknown permissions": {`{"companies":[` + one(team, "edit") + `]}`, "companies.0.permissions"},
		"malformed company":   {`{"companies":[` + one("42", "view") + `]}`, "companies.0.company_id"},
		"unknown company": {
			`{"companies":[` + one(team, "view") + `,` + one(missing(), "view") + `]}`, "companies.1.company_id",
		},
		"hidden company":    {`{"companies":[` + one(hidden, "view") + `]}`, "companies.0.company_id"},
		"another's company": {`{"companies":[` + one(foreign, "view") + `]}`, "companies.0.company_id"},
		"twice": {
			`{"companies":[` + one(team, "view") + `,` + one(strings.ToUpper(team), "full") + `]}`, "companies.1.company_id",
		},
		"too many": {
			`{"companies":[` + strings.Repeat(one(missing(), "view")+",", 100) + one(team, "view") + `]}`, "companies",
		},
		"blank name":                {`{"name":" ",` + good + `}`, "name"},
		"long name":                 {`{"name":"` + strings.Repeat("é", 256) + `",` + good + `}`, "name"},
		"name no string":            {`{"name":5,` + good + `}`, "name"},
		"long description":          {`{"description":"` + strings.Repeat("é", 10001) + `",` + good + `}`, "description"},
		"empty password":            {`{"password":"",` + good + `}`, "password"},
		"long password":             {`{"password":"` + strings.Repeat("p", 201) + `",` + good + `}`, "password"},
		"past":                      {`{"expires_at":"2020-01-01T00:00:00Z",` + good + `}`, "expires_at"},
		"no timestamp":              {`{"expires_at":"tomorrow",` + good + `}`, "expires_at"},
		"fields before the account": {`{"name":5}`, "name"},
	} {
		t.Run(name, func(t *testing.T) {
			path := s.accountPath("shared-links")
			if name == "fields before the account" {
				path = "/api/v1/accounts/" + missing() + "/shared-links"
			}
			got := s.send(request{Method: http.MethodPost, Path: path, Key: member, Body: tc.body})
			got.t = t
			got.refused(http.StatusBadRequest, "Invalid request body", "invalid_field", tc.field)
		})
	}
	if left := s.count("shared_links") + s.count("shared_link_companies"); left != 0 {
		t.Errorf("%d rows of refused links were kept", left)
	}
	body := `{` + good + `}`
	s.post(s.accountPath("shared-links"), stranger, body).refused(http.StatusForbidden, "Access denied to this resource",
		"access_denied", "")
	s.post("/api/v1/accounts/"+missing()+"/shared-links", member, body).refused(http.StatusNotFound, "Resource not found",
		"not_found", "")
	s.post("/api/v1/accounts/x/shared-links", member, body).refused(http.StatusNotFound, "Resource not found",
		"not_found", "")
	s.post(s.accountPath("shared-links"), "", body).refused(http.StatusUnauthorized, "Invalid or expired API key",
		"missing_api_key", "")
}

// Whoever knows the code of a link can open it, so that a link is shown only to users who see all that it shows.
// What is wrong with each of too many companies is not listed, since that would take time that grows with the square of
// their number.
func TestTooManyWrongCompaniesAreOneMistake(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.NoWorker = true })
	got := s.post(s.accountPath("shared-links"), s.key, `{"companies":[`+strings.Repeat(`{},`, 100)+`{}]}`)
	got.refused(http.StatusBadRequest, "Invalid request body", "invalid_field", "companies")
	if details, _ := got.at("details").([]any); len(details) != 1 {
		t.Errorf("%d details", len(details))
	}
}

func TestWhoSeesWhichLink(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true; chosen.AnalysisWait = time.Millisecond })
	elsewhere, stranger := s.stranger()
	mia, member := s.colleague("Mia Member", "member")
	team := s.company(s.key, part{Name: "name", Value: "Openly"})
	shared := s.company(s.key, part{Name: "visibility", Value: "shared"}, part{Name: "name", Value: "Secretive"})
	private := s.company(s.key, part{Name: "visibility", Value: "private"}, part{Name: "name", Value: "Hidden"})
	open, _ := s.share(s.key, "view", nil, team)
	mixed, _ := s.share(s.key, "view", nil, team, shared)
	withPrivate, _ := s.share(s.key, "view", nil, team, private)
	for id, want := range map[string]int{open: 200, mixed: 404, withPrivate: 200, missing(): 404, "malformed": 404} {
		path := s.accountPath("shared-links/" + id)
		got := s.get(path, member)
		if got.Status != want || strings.Contains(string(got.Raw), "Secretive") ||
			strings.Contains(string(got.Raw), "Hidden") {
			t.Errorf("a member reads %s as %d %s, want %d", id, got.Status, got.Raw, want)
		}
		if inList := strings.Contains(string(s.get(s.accountPath("shared-links"), member).want(200).Raw),
			id); inList != (want == 200) {
			t.Errorf("%s is in the member's list: %v", id, inList)
		}
		if want == 404 {
			s.erase(path, member).want(http.StatusNotFound)
		}
		s.get(path, stranger).want(http.StatusForbidden)
		s.get("/api/v1/accounts/"+elsewhere.ID.String()+"/shared-links/"+id, stranger).want(http.StatusNotFound)
		s.erase("/api/v1/accounts/"+elsewhere.ID.String()+"/shared-links/"+id, stranger).want(http.StatusNotFound)
	}
	s.get(s.accountPath("shared-links"), stranger).want(http.StatusForbidden)
	testkit.Exec(t, s.dbURL, "INSERT INTO company_shares (company_id, account_id, user_id) VALUES ($1, $2, $3)", shared,
		s.account.ID, mia.ID)
	s.get(s.accountPath("shared-links/"+mixed), member).want(http.StatusOK)
	s.erase(s.accountPath("shared-links/"+open), member).want(http.StatusOK)
	if left := s.count("shared_links"); left != 2 {
		t.Errorf("%d links are left, want 2", left)
	}
}

func TestLinksOfLeaversAreDead(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true; chosen.AnalysisWait = time.Millisecond })
	mia, member := s.colleague("Mia Member", "member")
	id, code := s.share(member, "view", nil, s.company(s.key))
	s.open(code).want(http.StatusOK)
	s.erase(s.accountPath("members/"+s.membership(mia.ID.String())), s.key).want(http.StatusOK)
	if got := s.get(s.accountPath("shared-links/"+id), s.key).want(http.StatusOK); got.at("data.link.is_active") != false {
		t.Errorf("read %s", got.Raw)
	}
	s.open(code).notice(http.StatusNotFound, "There is nothing here")
}
