package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func (s *server) statusesPath() string {
	return "/api/v1/accounts/" + s.account.ID.String() + "/company-statuses"
}

func TestANewAccountHasAPipeline(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.get(s.statusesPath(), s.key).want(http.StatusOK)
	var names []string
	for _, status := range got.at("data").([]any) {
		names = append(names, status.(map[string]any)["name"].(string))
	}
	want := []string{"New", "Screening", "First Meeting", "Due Diligence", "Term Sheet", "Invested", "Passed"}
	if !slices.Equal(names, want) || got.at("data.0.is_default") != true || got.at("data.1.is_default") != false {
		t.Errorf("the pipeline is %v: %s", names, got.Raw)
	}
	shape := slices.Sorted(maps.Keys(got.keys("data.0")))
	if !slices.Equal(shape, []string{
		"account_id", "color", "created_at", "description", "id", "is_default", "name", "rank",
	}) {
		t.Errorf("a listed status has %v", shape)
	}
}

func TestAStatusIsMade(t *testing.T) {
	t.Parallel()
	s := start(t)
	tests := map[string]struct {
		body        map[string]any
		color       string
		rank        json.Number
		description any
	}{
		"all given": {
			map[string]any{"name": " Partner Meeting ", "color": "#0ea5E9", "description": "All saw it.", "rank": 4},
			"#0ea5E9",
			"4", "All saw it.",
		},
		"name alone": {map[string]any{"name": "Partner Meeting"}, "#64748B", "", nil},
		"nulls": {
			map[string]any{"name": "Partner Meeting", "color": nil, "description": nil, "rank": nil}, "#64748B", "", nil,
		},
		"a float's form": {map[string]any{"name": "Partner Meeting", "rank": json.RawMessage(`1.2e1`)}, "#64748B", "12", nil},
		"negative rank":  {map[string]any{"name": "Partner Meeting", "rank": -3}, "#64748B", "-3", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			made := s.post(s.statusesPath(), s.key, tc.body).want(http.StatusCreated)
			shape := slices.Sorted(maps.Keys(made.keys("data")))
			if !slices.Equal(shape, []string{"color", "id", "rank", "status_text"}) ||
				made.text("data.status_text") != "Partner Meeting" || made.text("data.color") != tc.color {
				t.Errorf("made %s", made.Raw)
			}
			if tc.rank != "" && made.at("data.rank") != tc.rank {
				t.Errorf("rank %v, want %v", made.at("data.rank"), tc.rank)
			}
			listed := s.get(s.statusesPath(), s.key)
			for _, status := range listed.at("data").([]any) {
				if one := status.(map[string]any); one["id"] == made.at("data.id") {
					if one["description"] != tc.description || one["rank"] != made.at("data.rank") || one["is_default"] != false {
						t.Errorf("listed as %v", one)
					}
					return
				}
			}
			t.Errorf("it is not in the list: %s", listed.Raw)
		})
	}
}

func TestAStatusWithoutRankGoesToTheEnd(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, name := range []string{"Later", "Latest"} {
		s.post(s.statusesPath(), s.key, map[string]any{"name": name}).want(http.StatusCreated)
	}
	s.post(s.statusesPath(), s.key, map[string]any{"name": "Between", "rank": 2}).want(http.StatusCreated)
	listed := s.get(s.statusesPath(), s.key)
	if listed.text("data.9.name") != "Latest" || listed.text("data.8.name") != "Later" ||
		listed.text("data.2.name") != "Between" {
		t.Errorf("listed %s", listed.Raw)
	}
}

func TestStatusesAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, stranger := s.stranger()
	_, admin := s.colleague("Ada Admin", "admin")
	_, member := s.colleague("Mia Member", "member")
	good, bad := `{"name":"x"}`, `{"name":""}`
	own, other, none := s.statusesPath(), "/api/v1/accounts/"+elsewhere.ID.String()+"/company-statuses",
		"/api/v1/accounts/"+missing()+"/company-statuses"
	tests := map[string]struct {
		method, path, key, body string
		status                  int
		code, field             string
	}{
		"list of another team":   {"GET", other, s.key, "", 403, "access_denied", ""},
		"list of a stranger":     {"GET", own, stranger, "", 403, "access_denied", ""},
		"list of no account":     {"GET", none, s.key, "", 404, "not_found", ""},
		"list of a malformed id": {"GET", "/api/v1/accounts/42/company-statuses", s.key, "", 404, "not_found", ""},
		"list of another form": {
			"GET", "/api/v1/accounts/urn:uuid:" + s.account.ID.String() + "/company-statuses", s.key, "", 404, "not_found", "",
		},
		"by a member":               {"POST", own, member, good, 403, "access_denied", ""},
		"in another team":           {"POST", other, s.key, good, 403, "access_denied", ""},
		"in no account":             {"POST", none, s.key, good, 404, "not_found", ""},
		"in a malformed id":         {"POST", "/api/v1/accounts/42/company-statuses", s.key, good, 404, "not_found", ""},
		"fields before the role":    {"POST", own, member, bad, 400, "invalid_field", "name"},
		"fields before the team":    {"POST", other, s.key, bad, 400, "invalid_field", "name"},
		"fields before the account": {"POST", none, s.key, bad, 400, "invalid_field", "name"},
		"fields before malformed ids": {
			"POST", "/api/v1/accounts/42/company-statuses", s.key, `{"name":5}`, 400, "invalid_field", "name",
		},
		"short color": {"POST", own, s.key, `{"name":"x","color":"#fff"}`, 400, "invalid_field", "color"},
		"named color": {"POST", own, s.key, `{"name":"x","color":"red"}`, 400, "invalid_field", "color"},
		"color and more": {
			"POST", own, s.key, `{"name":"x","color":"#ffffff\n"}`, 400, "invalid_field", "color",
		},
		"color of a wrong type": {"POST", own, s.key, `{"name":"x","color":16777215}`, 400, "invalid_field", "color"},
		"half a rank":           {"POST", own, s.key, `{"name":"x","rank":1.5}`, 400, "invalid_field", "rank"},
		"rank as a text":        {"POST", own, s.key, `{"name":"x","rank":"1"}`, 400, "invalid_field", "rank"},
		"rank too large":        {"POST", own, s.key, `{"name":"x","rank":1e300}`, 400, "invalid_field", "rank"},
		"description of a wrong type": {
			"POST", own, s.key, `{"name":"x","description":[]}`, 400, "invalid_field", "description",
		},
		"all wrong, the last told": {
			"POST", own, s.key, `{"name":1,"color":2,"description":3,"rank":"4"}`, 400, "invalid_field", "rank",
		},
		"all wrong, the first told": {
			"POST", own, s.key, `{"name":1,"color":2,"description":3,"rank":"4"}`, 400, "invalid_field", "name",
		},
	}
	messages := map[int]string{
		400: "Invalid request body", 403: "Access denied to this resource", 404: "Resource not found",
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := request{Method: tc.method, Path: tc.path, Key: tc.key}
			if tc.body != "" {
				r.Body = tc.body
			}
			got := s.send(r)
			got.t = t
			got.refused(tc.status, messages[tc.status], tc.code, tc.field)
			if strings.Contains(string(got.Raw), "Elsewhere") {
				t.Errorf("the refusal tells of the other team: %s", got.Raw)
			}
		})
	}
	if n := s.count("company_statuses"); n != 14 {
		t.Errorf("%d statuses are stored after refusals alone", n)
	}
	s.post(own, admin, good).want(http.StatusCreated)
	s.get(own, member).want(http.StatusOK)
}
