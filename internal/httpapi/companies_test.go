package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"dealflow/internal/testkit"
)

const companies = "/api/v1/companies"

func TestACompanyIsReadBack(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.company(s.key, part{"name", "", "Ünï <Corp> & Sons"}, part{"notes", "", "call <them>"},
		part{"file_0", "Série A.txt", "deck"})
	for path, withURL := range map[string]bool{
		"": false, "?include_download_url=false": false, "?include_download_url=true": true,
	} {
		got := s.get(companies+"/"+id+path, s.key).want(http.StatusOK)
		if got.text("data.company.name") != "Ünï <Corp> & Sons" || got.text("data.company.notes") != "call <them>" ||
			!strings.Contains(string(got.Raw), "<Corp> &") {
			t.Errorf("read %s", got.Raw)
		}
		if url, _ := got.at("data.pdf_download_url").(string); (url != "") != withURL ||
			withURL && !strings.HasPrefix(url, "http://deals.example/files/") {
			t.Errorf("%s: pdf_download_url %v", path, got.at("data.pdf_download_url"))
		}
	}
	got := s.get(companies+"/"+id, s.key)
	if got.text("data.company.created_by") != s.owner.ID.String() || got.text("data.company.visibility") != "team" ||
		got.text("data.company.source_content") != "Acme makes anvils." {
		t.Errorf("read %s", got.Raw)
	}
}

func TestWhoReadsWhichCompany(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, stranger := s.stranger()
	mia, member := s.colleague("Mia Member", "member")
	ids := map[string]string{}
	for _, visibility := range []string{"team", "shared", "private"} {
		ids[visibility] = s.company(s.key, part{"visibility", "", visibility}, part{"name", "", "Secretive " + visibility},
			part{"file_0", "d.txt", "deck"})
	}
	ids["shared with her"] = s.company(s.key, part{"visibility", "", "shared"}, part{"file_0", "d.txt", "deck"})
	ids["assigned to her"] = s.company(s.key, part{"visibility", "", "shared"}, part{"file_0", "d.txt", "deck"})
	for table, which := range map[string]string{
		"company_shares": "shared with her", "company_assignees": "assigned to her",
	} {
		testkit.Exec(t, s.dbURL, "INSERT INTO "+table+" (company_id, account_id, user_id) VALUES ($1, $2, $3)", ids[which],
			s.account.ID, mia.ID)
	}
	ids["no such"], ids["malformed"] = missing(), "not-a-uuid"
	tests := map[string]struct {
		key  string
		want map[string]int
	}{
		"creator": {
			s.key, map[string]int{
				"team": 200, "shared": 200, "private": 200, "shared with her": 200, "assigned to her": 200, "no such": 404,
				"malformed": 404,
			},
		},
		"member": {
			member, map[string]int{
				"team": 200, "shared": 404, "private": 404, "shared with her": 200, "assigned to her": 200, "no such": 404,
				"malformed": 404,
			},
		},
		"stranger": {
			stranger, map[string]int{
				"team": 403, "shared": 403, "private": 403, "shared with her": 403, "assigned to her": 403, "no such": 404,
				"malformed": 404,
			},
		},
	}
	for name, tc := range tests {
		listed := s.get(companies, tc.key).want(http.StatusOK)
		for which, want := range tc.want {
			for _, path := range []string{"", "/download"} {
				got := s.get(companies+"/"+ids[which]+path, tc.key)
				if got.Status != want || want != 200 && strings.Contains(string(got.Raw), "Secretive") {
					t.Errorf("%s: %s%s is %d, want %d: %s", name, which, path, got.Status, want, got.Raw)
				}
			}
			if inList := strings.Contains(string(listed.Raw), ids[which]); inList != (want == 200) {
				t.Errorf("%s: %s is in the list: %v", name, which, inList)
			}
		}
	}
	assigned := s.get(companies+"/"+ids["assigned to her"], s.key)
	want := map[string]any{"id": mia.ID.String(), "name": mia.Name, "email": mia.Email, "picture_url": nil}
	if got := assigned.at("data.company.assignees.0"); !reflect.DeepEqual(got, want) {
		t.Errorf("assignee %v, want %v", got, want)
	}
}

func TestListsArePaged(t *testing.T) {
	t.Parallel()
	s := start(t)
	empty := s.get(companies, s.key).want(http.StatusOK)
	if rows, ok := empty.at("data.companies").([]any); !ok || len(rows) != 0 ||
		empty.at("data.pagination.has_next") != false {
		t.Errorf("an empty list is %s", empty.Raw)
	}
	for i := range 5 {
		s.company(s.key, part{"name", "", fmt.Sprintf("Company %d", i)})
	}
	tests := map[string]struct {
		page, limit      json.Number
		names            string
		hasNext, hasPrev bool
	}{
		"":                     {"1", "25", "43210", false, false},
		"?page=1&limit=2":      {"1", "2", "43", true, false},
		"?page=2&limit=2":      {"2", "2", "21", true, true},
		"?page=3&limit=2":      {"3", "2", "0", false, true},
		"?page=4&limit=2":      {"4", "2", "", false, true},
		"?limit=5":             {"1", "5", "43210", false, false},
		"?limit=100":           {"1", "100", "43210", false, false},
		"?page=900000000000":   {"900000000000", "25", "", false, true},
		"?unknown=1&unknown=2": {"1", "25", "43210", false, false},
		"?sort=x&account_id=" + s.account.ID.String(): {"1", "25", "43210", false, false},
	}
	for query, tc := range tests {
		got := s.get(companies+query, s.key).want(http.StatusOK)
		names := ""
		for _, c := range got.at("data.companies").([]any) {
			names += strings.TrimPrefix(c.(map[string]any)["name"].(string), "Company ")
		}
		want := map[string]any{"page": tc.page, "limit": tc.limit, "has_next": tc.hasNext, "has_prev": tc.hasPrev}
		if names != tc.names || !reflect.DeepEqual(got.paged(), want) {
			t.Errorf("%q: companies %s with %v, want %s with %v", query, names, got.at("data.pagination"), tc.names, want)
		}
	}
}

func TestListsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, _ := s.stranger()
	tests := map[string]struct {
		status int
		field  string
	}{
		"?page=0": {400, "page"}, "?page=-1": {400, "page"}, "?page=x": {400, "page"}, "?page=": {400, "page"},
		"?page=1.5": {400, "page"}, "?page=%2B1": {400, "page"},
		"?page=1&page=2": {400, "page"}, "?page=99999999999999999999": {400, "page"}, "?page=1e3": {400, "page"},
		"?page=%31%00": {400, "page"},
		"?limit=0":     {400, "limit"}, "?limit=101": {400, "limit"}, "?limit=ten": {400, "limit"},
		"?account_id=42": {400, "account_id"}, "?account_id=": {400, "account_id"},
		"?account_id=%7B" + s.account.ID.String() + "%7D": {400, "account_id"},
		"?include_download_urls=1":                        {400, "include_download_urls"},
		"?include_download_urls=TRUE":                     {400, "include_download_urls"},
		"?include_download_urls=":                         {400, "include_download_urls"},
		"?page=%zz":                                       {400, "query"}, "?a;b": {400, "query"},
		"?page=0&limit=0": {400, "limit"}, "?limit=0&page=0": {400, "page"},
		"?account_id=" + missing(): {404, ""}, "?account_id=" + elsewhere.ID.String(): {403, ""},
		"?page=0&account_id=" + missing(): {400, "page"},
	}
	for query, tc := range tests {
		got := s.get(companies+query, s.key)
		switch tc.status {
		case 400:
			got.refused(400, "Invalid request parameters", "invalid_parameter", tc.field)
		case 403:
			got.refused(403, "Access denied to this resource", "access_denied", "")
		default:
			got.refused(404, "Resource not found", "not_found", "")
		}
	}
}

func TestWhatListsLeaveOut(t *testing.T) {
	t.Parallel()
	s := start(t)
	metadata := `{"founders":[{"name":"Ada","phone":"+1 555","background":"built <things>","extra":1.50},"odd",null],` +
		`"phone":"kept","stage":"Seed"}`
	id := s.company(s.key, part{"metadata", "", metadata}, part{"file_0", "d.txt", "deck"})
	whole := s.get(companies+"/"+id, s.key).want(http.StatusOK)
	if whole.at("data.company.metadata.founders.0.phone") != "+1 555" ||
		whole.at("data.company.metadata.founders.0.background") != "built <things>" {
		t.Errorf("by itself the company has %s", whole.Raw)
	}
	for _, word := range []string{"Ada", "+1 555", "built <things>", "kept", "Seed"} {
		if !strings.Contains(whole.text("data.company.metadata_search_text"), word) {
			t.Errorf("metadata_search_text lacks %q: %q", word, whole.text("data.company.metadata_search_text"))
		}
	}
	listed := s.get(companies, s.key).want(http.StatusOK)
	founders := listed.at("data.companies.0.metadata.founders")
	want := []any{map[string]any{"name": "Ada", "extra": json.Number("1.50")}, "odd", nil}
	if !reflect.DeepEqual(founders, want) || listed.at("data.companies.0.metadata.phone") != "kept" {
		t.Errorf("listed founders %v, want %v", founders, want)
	}
	for _, secret := range []string{
		"+1 555", "built", "Acme makes anvils", "deck_storage_path", "source_content", "metadata_search_text",
		"pdf_download_url",
	} {
		if strings.Contains(string(listed.Raw), secret) {
			t.Errorf("the list tells %q", secret)
		}
	}
}

func TestListsWithDownloadURLs(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.company(s.key, part{"name", "", "without"})
	s.company(s.key, part{"name", "", "with"}, part{"file_0", "d.txt", "deck"})
	got := s.get(companies+"?include_download_urls=true", s.key).want(http.StatusOK)
	if !strings.HasPrefix(got.text("data.companies.0.pdf_download_url"), "http://deals.example/files/") ||
		got.at("data.companies.1.pdf_download_url") != nil || !got.keys("data.companies.1")["pdf_download_url"] {
		t.Errorf("listed %s", got.Raw)
	}
}

// What a client sent comes back member for member.
func TestMetadataComesBackAsItWasSent(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, sent := range map[string]string{
		"kinds": `{"founders":[{"name":"A"}],"ai_analysis":"mine","analyzed_at":"2026-01-01T00:00:00Z","n":null,` +
			`"b":false,"s":"","a":[],"o":{},"f":1.50,"big":12345678901234567890,"e":1e-7}`,
		"odd names": `{"founders":[{"name":"A"}],"ai_analysis":"mine","analyzed_at":"x","":1,"a b":2,"ü":3,"<b>&` +
			`\u2028":"<i>&\u2028","\"":"\\"}`,
		"emoji": `{"founders":[{"name":"A"}],"ai_analysis":"mine","analyzed_at":"x","e":"\ud83d\ude00😀"}`,
		"deep": `{"founders":[{"name":"A"}],"ai_analysis":"mine","analyzed_at":"x","d":` + strings.Repeat("[",
			99) + strings.Repeat("]", 99) + `}`,
		"preference": `{"founders":[{"name":"A"}],"ai_analysis":"mine","analyzed_at":"x",` +
			`"user_preferences":[{"type":"select","field":"Fit","value":"High","options":["High","Low"],"show_in_table":true}]}`,
	} {
		id := s.company(s.key, part{"metadata", "", sent})
		got := s.get(companies+"/"+id, s.key).want(http.StatusOK).at("data.company.metadata")
		var want any
		decoder := json.NewDecoder(strings.NewReader(sent))
		decoder.UseNumber()
		must(t, decoder.Decode(&want))
		if !sameJSON(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// sameJSON reports whether two JSON values are equal; numbers are compared by value.
func sameJSON(a, b any) bool {
	encode := func(v any) string {
		var plain any
		encoded, _ := json.Marshal(v)
		_ = json.Unmarshal(encoded, &plain)
		encoded, _ = json.Marshal(plain)
		return string(encoded)
	}
	return encode(a) == encode(b)
}
