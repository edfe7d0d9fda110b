package httpapi_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// make creates a company of the account with this body, and returns its id. Its name is Acme unless the body has one.
func (s *server) make(key string, body map[string]any) string {
	s.Helper()
	sent := map[string]any{"account_id": s.account.ID, "name": "Acme"}
	maps.Copy(sent, body)
	return s.post(companies, key, sent).want(http.StatusCreated).text("data.company.id")
}

// listed returns the names of the companies in a list, separated by spaces.
func (s *server) listed(query, key string) string {
	s.Helper()
	var names []string
	for _, c := range s.get(companies+query, key).want(http.StatusOK).at("data.companies").([]any) {
		names = append(names, c.(map[string]any)["name"].(string))
	}
	return strings.Join(names, " ")
}

func TestListsAreSortedFilteredAndSearched(t *testing.T) {
	t.Parallel()
	s := start(t)
	statuses := s.get(s.statusesPath(), s.key).at("data").([]any)
	first := statuses[0].(map[string]any)["id"].(string)
	s.make(s.key, map[string]any{
		"name": "beta", "source": "event", "company_status_id": first, "notes": "builds robots in Zürich",
	})
	alpha := s.make(s.key, map[string]any{
		"name": "Alpha", "source": "referral", "visibility": "private",
		"metadata": map[string]any{"founders": []any{map[string]any{"name": "Ada Lovelace"}}},
	})
	s.make(s.key, map[string]any{
		"name": "Gamma", "visibility": "shared", "source_content": "我们的公司专注于机器人投资", "company_status_id": first,
	})
	s.send(request{
		Method: http.MethodPatch, Path: companies + "/" + alpha, Key: s.key, Body: map[string]any{"notes": "touched"},
	}).want(http.StatusOK)
	account := "account_id=" + s.account.ID.String()
	for query, want := range map[string]string{
		"": "Gamma Alpha beta", "?sort_order=asc": "beta Alpha Gamma",
		"?sort_by=created_at&sort_order=desc": "Gamma Alpha beta",
		"?sort_by=updated_at":                 "Alpha Gamma beta", "?sort_by=updated_at&sort_order=asc": "beta Gamma Alpha",
		"?sort_by=name": "Gamma beta Alpha", "?sort_by=name&sort_order=asc": "Alpha beta Gamma",
		"?visibility=private": "Alpha", "?visibility=shared": "Gamma", "?visibility=team": "beta", "?source=event": "beta",
		"?source=manual": "Gamma", "?source=form": "",
		"?company_status_id=" + first: "Gamma beta", "?company_status_id=no_status": "Alpha",
		"?company_status_id=" + missing():               "",
		"?company_status_id=" + first + "&source=event": "beta", "?company_status_id=no_status&visibility=team": "",
		"?search=robots": "beta", "?search=ROBOTS+z%C3%BCrich": "beta", "?search=robot": "", "?search=ada": "Alpha",
		"?search=%E6%9C%BA%E5%99%A8%E4%BA%BA": "Gamma", "?search=!!!": "", "?search=%20": "",
		"?search=robots&source=referral": "", "?search=touched&" + account + "&sort_by=name": "Alpha",
		"?search=robots%27+%26+%7C":                   "beta",
		"?limit=1&page=2&sort_by=name&sort_order=asc": "beta", "?page=3&limit=1": "beta", "?page=4&limit=1": "",
	} {
		if got := s.listed(query, s.key); got != want {
			t.Errorf("%q lists %q, want %q", query, got, want)
		}
	}
	_, member := s.colleague("Mia Member", "member")
	if got := s.listed("", member) + "|" + s.listed("?visibility=private", member) + "|" + s.listed("?search=ada",
		member); got != "beta||" {
		t.Errorf("another member lists %q", got)
	}
}

func TestListFiltersAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	for query, field := range map[string]string{
		"?sort_by=rank": "sort_by", "?sort_by=": "sort_by", "?sort_by=NAME": "sort_by", "?sort_order=up": "sort_order",
		"?sort_order=DESC": "sort_order", "?visibility=public": "visibility", "?visibility=": "visibility",
		"?source=fax": "source", "?company_status_id=x": "company_status_id", "?company_status_id=": "company_status_id",
		"?company_status_id=NO_STATUS": "company_status_id",
		"?search=":                     "search", "?search=" + strings.Repeat("a", 501): "search", "?search=%00": "search",
		"?search=%ff": "search", "?search=a&search=b": "search", "?sort_by=name&sort_by=name": "sort_by",
	} {
		s.get(companies+query, s.key).refused(400, "Invalid request parameters", "invalid_parameter", field)
	}
	s.get(companies+"?search="+url.QueryEscape(strings.Repeat("é", 500)), s.key).want(http.StatusOK)
}

// Rows with equal keys are neither seen twice nor missed.
func TestPagesOfEqualKeys(t *testing.T) {
	t.Parallel()
	s := start(t)
	for range 7 {
		s.make(s.key, nil)
	}
	for _, sort := range []string{"name", "created_at", "updated_at"} {
		var seen []string
		for _, page := range []string{"1", "2", "3"} {
			for _, c := range s.get(companies+"?limit=3&sort_by="+sort+"&search=acme&page="+page, s.key).
				at("data.companies").([]any) {
				seen = append(seen, c.(map[string]any)["id"].(string))
			}
		}
		slices.Sort(seen)
		if len(slices.Compact(seen)) != 7 {
			t.Errorf("by %s the pages show %d companies, want 7", sort, len(seen))
		}
	}
}

func TestTheWordsOfADeckAreFound(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.company(s.key, part{"file_0", "deck.pdf", samplePDF(t)})
	attached := s.make(s.key, map[string]any{"name": "Attached"})
	s.attach(attached, s.key, part{"file", "deck.pdf", samplePDF(t)}).want(http.StatusCreated)
	word := "diagnostics+copilot"
	deadline := time.Now().Add(20 * time.Second)
	for {
		got := string(s.get(companies+"?search="+word, s.key).want(http.StatusOK).Raw)
		if strings.Contains(got, id) && strings.Contains(got, attached) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%q finds %s", word, got)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
