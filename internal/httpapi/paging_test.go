package httpapi_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/testkit"
)

// walk reads a list by cursors to its end, and returns the ids of its pages. Between two pages it calls between.
func (s *server) walk(path, key, member string, between func()) [][]string {
	s.Helper()
	var pages [][]string
	for next := ""; len(pages) < 50; between() {
		page := s.get(path+next, key).want(http.StatusOK)
		pages = append(pages, page.ids(member))
		pagination := "data.pagination."
		if member == "data" {
			pagination = "pagination."
		}
		cursor, more := page.at(pagination + "next_cursor").(string)
		if has, told := page.at(pagination + "has_next").(bool); told && has != more {
			s.Errorf("%s: has_next %v, next_cursor %q", path, has, cursor)
		}
		if !more {
			return pages
		}
		next = "&cursor=" + url.QueryEscape(cursor)
	}
	s.Fatalf("%s: the cursors lead nowhere", path)
	return nil
}

// paged returns the member "pagination" without the cursor. It checks that there is a cursor exactly if there is a next
// page.
func (r reply) paged() map[string]any {
	r.t.Helper()
	paged, _ := r.at("data.pagination").(map[string]any)
	_, more := paged["next_cursor"].(string)
	if has, told := paged["has_next"].(bool); told && has != more || len(paged) == 0 {
		r.t.Errorf("pagination %v", paged)
	}
	delete(paged, "next_cursor")
	return paged
}

// ids returns the ids of the objects of an array.
func (r reply) ids(member string) []string {
	r.t.Helper()
	ids := []string{}
	for _, one := range r.at(member).([]any) {
		ids = append(ids, one.(map[string]any)["id"].(string))
	}
	return ids
}

// everyList makes at least three rows of each list, and returns the paths with the members that they answer.
func (s *server) everyList() map[string]string {
	s.Helper()
	company := ""
	for i := range 3 {
		_, key := s.colleague(fmt.Sprintf("Mia Member %d", i), "member")
		s.make(key, map[string]any{"name": fmt.Sprintf("Deal %d", i), "notes": "robots"})
		testkit.Account(s.T, s.db, s.owner.ID, fmt.Sprintf("Team %d", i))
		testkit.Key(s.T, s.db, s.owner.ID)
		s.post(s.accountPath("meeting-minutes"), s.key, map[string]any{"title": "Talk"}).want(http.StatusCreated)
		s.post(s.accountPath("form-submissions"), s.key,
			map[string]any{"data": []any{map[string]any{"key": "a"}}}).want(http.StatusCreated)
		s.post(s.accountPath("company-settings"), s.key, map[string]any{
			"name":       fmt.Sprint("Field ", i),
			"field_type": "text",
		}).want(http.StatusCreated)
		s.post(s.accountPath("integrations"), s.key, map[string]any{
			"name": "Forms",
			"kind": "tally",
		}).want(http.StatusCreated)
		s.post(s.accountPath("saved-views"), s.key, map[string]any{"name": "View"}).want(http.StatusCreated)
		s.post(s.accountPath("webhooks"), s.key, map[string]any{"url": "https://hooks.example/a"}).want(http.StatusCreated)
		company = s.make(s.key, map[string]any{"name": fmt.Sprintf("Deal %d", i)})
		s.post(s.accountPath("shared-links"), s.key, map[string]any{
			"companies": []any{map[string]any{"company_id": company, "permissions": "view"}},
		}).want(http.StatusCreated)
	}
	for i := range 3 {
		s.attach(company, s.key, part{Name: "link_url", Value: fmt.Sprint("https://acme.example/",
			i)}).want(http.StatusCreated)
		for _, statement := range []string{
			`INSERT INTO emails (id, account_id, external_id, from_email, content, content_preview)
				SELECT $3::uuid, $1, $3::uuid::text, 'ada@acme.example', '', '' WHERE $2::uuid IS NOT NULL`,
			`INSERT INTO imports (id, account_id, kind, format, status, created_by) VALUES ($3, $1, 'emails', 'mbox',
				'completed', $2)`,
			`INSERT INTO company_shares (account_id, company_id, user_id) SELECT $1, '` + company + `', user_id FROM memberships
				WHERE account_id = $1 AND user_id <> $2 AND $3::uuid IS NOT NULL ON CONFLICT DO NOTHING`,
		} {
			testkit.Exec(s.T, s.dbURL, statement, s.account.ID, s.owner.ID, uuid.New())
		}
	}
	of := companies + "/" + company + "/"
	return map[string]string{
		companies + "?": "data.companies", companies + "?sort_by=name&sort_order=asc&": "data.companies", companies +
			"?sort_by=updated_at&search=robots&": "data.companies",
		companies + "?source=manual&visibility=team&": "data.companies", companies +
			"?updated_since=2020-01-01T00:00:00Z&": "data.companies",
		s.accountPath("meeting-minutes?"):                 "data.meeting_minutes",
		s.accountPath("form-submissions?sort_order=asc&"): "data.submissions",
		s.accountPath("emails?sort_by=updated_at&"):       "data.emails", s.accountPath("imports?"): "data.imports",
		s.accountPath("audit-log?"): "data.entries",
		"/api/v1/accounts?":         "data.accounts", "/api/v1/api-keys?": "data.api_keys",
		s.accountPath("members?"):          "data.members",
		s.accountPath("company-statuses?"): "data", s.accountPath("company-settings?"): "data.fields",
		s.accountPath("integrations?"): "data.integrations",
		s.accountPath("webhooks?"):     "data.webhooks", s.accountPath("saved-views?"): "data.saved_views",
		s.accountPath("shared-links?"): "data.links", of + "attachments?": "data.attachments", of + "shares?": "data.shares",
	}
}

func TestEveryListIsReadByCursors(t *testing.T) {
	t.Parallel()
	s := start(t)
	for path, member := range s.everyList() {
		want := s.get(path+"limit=100", s.key).want(http.StatusOK).ids(member)
		for limit := 1; limit <= 2; limit++ {
			pages := s.walk(path+fmt.Sprint("limit=", limit), s.key, member, func() {})
			if got := slices.Concat(pages...); !slices.Equal(got, want) || len(want) < 3 {
				t.Errorf("%s by %d: %d rows by cursors, %d in one page:\n%v\n%v", path, limit, len(got), len(want), got, want)
			}
		}
		by := s.get(path+"limit=2&page=2", s.key).want(http.StatusOK).ids(member)
		if !slices.Equal(by, want[2:min(4, len(want))]) {
			t.Errorf("%s: page 2 is %v of %v", path, by, want)
		}
	}
}

func TestCursorsOfAnotherListAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	for range 3 {
		s.make(s.key, nil)
	}
	cursor := func(query string) string { return s.get(companies+query, s.key).text("data.pagination.next_cursor") }
	good := cursor("?limit=1&sort_by=name&source=manual")
	raw, err := base64.RawURLEncoding.DecodeString(good)
	must(t, err)
	raw[len(raw)-1] ^= 1
	for name, query := range map[string]string{
		"other order":     "source=manual&cursor=" + good,
		"other direction": "sort_order=asc&sort_by=name&source=manual&cursor=" + good,
		"other filter":    "sort_by=name&source=email&cursor=" + good, "no filter": "sort_by=name&cursor=" + good,
		"one filter more": "sort_by=name&source=manual&visibility=team&cursor=" + good,
		"nothing":         "sort_by=name&source=manual&cursor=",
		"no base64":       "sort_by=name&source=manual&cursor=%00%ff", "short": "sort_by=name&source=manual&cursor=AAAA",
		"cut": "sort_by=name&source=manual&cursor=" + good[:len(good)-4], "longer": "sort_by=name&source=manual&cursor=" +
			good + "AAAA",
		"forged": "sort_by=name&source=manual&cursor=" + base64.RawURLEncoding.EncodeToString(raw),
	} {
		t.Log(name)
		s.get(companies+"?"+query, s.key).refused(400, "Invalid request parameters", "invalid_parameter", "cursor")
	}
	s.get(s.accountPath("meeting-minutes?cursor="+cursor("?limit=1")), s.key).refused(400, "Invalid request parameters",
		"invalid_parameter", "cursor")
	s.get(companies+"?sort_by=name&source=manual&page=2&cursor="+good, s.key).refused(400, "Invalid request parameters",
		"invalid_parameter", "page")
	page := s.get(companies+"?sort_by=name&source=manual&include_download_urls=true&limit=2&cursor="+good,
		s.key).want(http.StatusOK)
	if page.at("data.pagination.has_prev") != true || page.at("data.pagination.next_cursor") != nil ||
		len(page.ids("data.companies")) != 2 {
		t.Errorf("another limit: %s", page.Raw)
	}
}

// A row that is there during the whole walk is seen once, whatever is written before and behind the cursor meanwhile.
func TestCursorsHoldWhileOthersWrite(t *testing.T) {
	t.Parallel()
	for _, order := range []string{
		"sort_by=created_at&sort_order=desc", "sort_by=name&sort_order=asc",
		"sort_by=updated_at&sort_order=asc",
	} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			var kept, passing []string
			for i := range 12 {
				kept = append(kept, s.make(s.key, map[string]any{"name": fmt.Sprintf("k%02d", i)}))
				passing = append(passing, s.make(s.key, map[string]any{"name": fmt.Sprintf("k%02d gone", i)}))
			}
			pages := s.walk(companies+"?limit=3&"+order, s.key, "data.companies", func() {
				s.make(s.key, map[string]any{"name": "a new one"})
				s.make(s.key, map[string]any{"name": "z new one"})
				if len(passing) > 1 {
					s.send(request{Method: http.MethodDelete, Path: companies + "/" + passing[0], Key: s.key}).want(http.StatusOK)
					s.send(request{
						Method: http.MethodDelete, Path: companies + "/" + passing[len(passing)-1],
						Key: s.key,
					}).want(http.StatusOK)
					passing = passing[1 : len(passing)-1]
				}
			})
			seen := map[string]int{}
			for _, id := range slices.Concat(pages...) {
				seen[id]++
			}
			for _, id := range kept {
				if seen[id] != 1 {
					t.Errorf("company %s was seen %d times", id, seen[id])
				}
			}
		})
	}
}

func TestUpdatedSince(t *testing.T) {
	t.Parallel()
	s := start(t)
	paths := map[string]string{
		companies: "companies", s.accountPath("meeting-minutes"): "meeting_minutes",
		s.accountPath("form-submissions"): "submissions", s.accountPath("emails"): "emails",
	}
	old, fresh := []uuid.UUID{uuid.New(), uuid.New(), uuid.New(), uuid.New()},
		[]uuid.UUID{uuid.New(), uuid.New(), uuid.New(), uuid.New()}
	for i, at := range []time.Time{
		time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 2, 1, 0, 0, 0, 123000, time.UTC),
	} {
		ids := [][]uuid.UUID{old, fresh}[i]
		for n, statement := range []string{
			"INSERT INTO companies (id, account_id, name, visibility, source, created_by, updated_by, created_at, " +
				"updated_at) VALUES ($1, $2, 'Acme robots', 'team', 'manual', $3, $3, '2025-01-01', $4)",
			"INSERT INTO meeting_minutes (id, account_id, title, created_by, created_at, updated_at) VALUES ($1, $2, 'Talk', " +
				"$3, '2025-01-01', $4)",
			"INSERT INTO form_submissions (id, account_id, data, integration_type, created_at, updated_at) SELECT $1, $2, " +
				"'[]', 'manual', '2025-01-01', $4 WHERE $3::uuid IS NOT NULL",
			`INSERT INTO emails (id, account_id, external_id, from_email, subject, content, content_preview, created_at,
				updated_at)
				SELECT $1::uuid, $2, $1::uuid::text, 'ada@acme.example', 'robots', '', '', '2025-01-01', $4
				WHERE $3::uuid IS NOT NULL`,
		} {
			testkit.Exec(t, s.dbURL, statement, ids[n], s.account.ID, s.owner.ID, at)
		}
	}
	for path, member := range paths {
		for query, want := range map[string]int{
			"updated_since=2026-02-01T00:00:00.000123Z": 1, "updated_since=2026-02-01T00:00:00.000124Z": 0,
			"updated_since=2026-01-01T01:00:00%2B01:00":             2,
			"updated_since=2026-02-01T00:00:00Z&sort_by=updated_at": 1, "updated_since=2026-02-01T00:00:00Z&search=robots": 1,
			"updated_since=2026-02-01T00:00:00Z&processed=true": 1,
		} {
			if strings.Contains(query, "search") && member != "companies" && member != "emails" ||
				strings.Contains(query, "processed") && member != "companies" {
				continue
			}
			got := s.get(path+"?"+query, s.key).want(http.StatusOK)
			if ids := got.ids("data." + member); len(ids) != want || got.at("data.pagination.total") != nil &&
				fmt.Sprint(got.at("data.pagination.total")) != fmt.Sprint(want) {
				t.Errorf("%s?%s: %s", path, query, got.Raw)
			}
		}
		for _, wrong := range []string{"", "yesterday", "2026-01-01", "1767225600"} {
			s.get(path+"?updated_since="+wrong, s.key).refused(400, "Invalid request parameters", "invalid_parameter",
				"updated_since")
		}
	}
}
