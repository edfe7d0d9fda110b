package httpapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"dealflow/internal/account"
)

// overColumns returns the numbers over the columns of a board, by the names of the columns; those of zero are left out.
func (r reply) overColumns() map[string]string {
	counts := map[string]string{}
	head := regexp.MustCompile(`<h2 id="c-[^"]*">.*?<span>([^<]*)</span><small data-count="(\d+)">`)
	for _, found := range head.FindAllStringSubmatch(string(r.Raw), -1) {
		if found[2] != "0" {
			counts[found[1]] = found[2]
		}
	}
	return counts
}

func TestTheBoardCountsWhatItsFiltersLeave(t *testing.T) {
	t.Parallel()
	s := start(t)
	first, third := s.get(s.statusesPath(), s.key).text("data.0.id"), s.get(s.statusesPath(), s.key).text("data.2.id")
	for i := range 14 {
		s.make(s.key, map[string]any{
			"name": fmt.Sprintf("Tide %d", i), "company_status_id": first, "source": []string{"email", "event"}[i%2],
		})
	}
	s.make(s.key, map[string]any{"name": "Tide 15", "company_status_id": third, "source": "email"})
	s.make(s.key, map[string]any{"name": "Tide 16", "source": "email"})
	s.make(s.key, map[string]any{"name": "Secret tide", "source": "email", "visibility": "private"})
	s.make(s.key, map[string]any{"name": "Lumen", "company_status_id": first, "source": "email"})
	elsewhere, otherKey := s.stranger()
	s.make(otherKey, map[string]any{"account_id": elsewhere.ID, "name": "Tide of others", "source": "email"})
	colleague, _ := s.colleague("Carla Colleague", account.RoleMember)
	must(t, s.deps.SignIn.SetPassword(t.Context(), colleague.ID, consolePassword))
	mine, theirs := s.signIn(s.withPassword()), s.signIn(colleague.Email)
	for _, tc := range []struct {
		who   *browser
		query string
		want  string
	}{
		{mine, "", "First Meeting=1 New=15 No status=2"},
		{theirs, "", "First Meeting=1 New=15 No status=1"},
		{mine, "search=tide", "First Meeting=1 New=14 No status=2"},
		{theirs, "search=tide", "First Meeting=1 New=14 No status=1"},
		{mine, "source=email", "First Meeting=1 New=8 No status=2"},
		{theirs, "source=email&search=Tide", "First Meeting=1 New=7 No status=1"},
		{theirs, "source=unknown", "First Meeting=1 New=15 No status=1"},
		{theirs, "search=nothing-of-it", ""},
		{theirs, "search=%21%21", ""},
		{mine, "search=tide&status=" + third, "First Meeting=1"},
	} {
		page := tc.who.open(s.consoleBase() + "/board?" + tc.query)
		counts := page.overColumns()
		var got []string
		for _, name := range []string{"First Meeting", "New", "No status"} {
			if counts[name] != "" {
				got = append(got, name+"="+counts[name])
				delete(counts, name)
			}
		}
		if strings.Join(got, " ") != tc.want || len(counts) > 0 {
			t.Errorf("%q shows %v and %v, want %s", tc.query, got, counts, tc.want)
		}
	}
}

// A browser loads what all pages are painted with once, and keeps it: one style sheet, and scripts that do not delay
// painting.
func TestPagesArePaintedWithOneStyle(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	assets := map[string]bool{}
	for _, path := range []string{"/board", "/companies", "/review", "/dashboard", "/links", "/imports", "/add", "/team"} {
		page := string(b.page(s.consoleBase() + path).Raw)
		if styles := strings.Count(page, "<link rel=\"stylesheet\""); styles != 1 {
			t.Errorf("%s has %d styles", path, styles)
		}
		if scripts := strings.Count(page, "<script"); scripts != strings.Count(page, " defer></script>") {
			t.Errorf("%s has a script that the first paint waits for", path)
		}
		for _, found := range regexp.MustCompile(`"(/assets/[^"]*)"`).FindAllStringSubmatch(page, -1) {
			assets[found[1]] = true
		}
	}
	size := 0
	for asset := range assets {
		got := b.open(asset).want(http.StatusOK)
		if cache := got.Header.Get("Cache-Control"); !strings.Contains(cache, "immutable") {
			t.Errorf("%s has Cache-Control: %s", asset, cache)
		}
		size += len(got.Raw)
	}
	if size > 150_000 || len(assets) < 5 {
		t.Errorf("%d assets have %d bytes", len(assets), size)
	}
}
