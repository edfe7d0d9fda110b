package httpapi_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"dealflow/internal/testkit"
)

func TestEachBarOfTheDashboardLeadsToItsList(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	stage := s.get(s.statusesPath(), s.key).text("data.2.id")
	s.company(s.key, part{"name", "", "Hydrogen"}, part{"text", "", "a pitch"}, part{"company_status_id", "", stage},
		part{"source", "", "referral"})
	old := s.company(s.key, part{"name", "", "Deuterium"}, part{"text", "", "a pitch"}, part{"source", "", "manual"})
	testkit.Exec(t, s.dbURL, "UPDATE companies SET created_at = created_at - interval '3 days' WHERE id = $1", old)
	base := s.consoleBase()
	page := string(b.page(base+"/dashboard", "Companies by status", "Companies by source", "<desc>", "As a table",
		"Hydrogen").Raw)
	list := func(query url.Values, has, lacks string) {
		t.Helper()
		link := base + "/companies?" + query.Encode()
		if !strings.Contains(page, `href="`+strings.ReplaceAll(link, "&", "&amp;")+`"`) {
			t.Errorf("nothing leads to %s on %s", link, page)
		}
		got := string(b.open(link).want(http.StatusOK).Raw)
		if !strings.Contains(got, ">"+has+"</a>") || strings.Contains(got, ">"+lacks+"</a>") {
			t.Errorf("%s shows %s", link, got)
		}
	}
	list(url.Values{"status": {stage}}, "Hydrogen", "Deuterium")
	list(url.Values{"source": {"manual"}}, "Deuterium", "Hydrogen")
	today := time.Now().UTC()
	day := func(ago int) string { return today.AddDate(0, 0, -ago).Format(time.DateOnly) }
	list(url.Values{"from": {day(0)}, "to": {day(0)}}, "Hydrogen", "Deuterium")
	list(url.Values{"from": {day(3)}, "to": {day(3)}}, "Deuterium", "Hydrogen")
	if columns := len(regexp.MustCompile(`aria-label="[^"]+ added"`).FindAllString(page, -1)); columns != 30 {
		t.Errorf("%d days have a column, want 30", columns)
	}
	weeks := string(b.open(base + "/dashboard?days=91").want(http.StatusOK).Raw)
	if columns := len(regexp.MustCompile(`aria-label="[^"]+ added"`).FindAllString(weeks, -1)); columns != 13 {
		t.Errorf("%d weeks have a column, want 13", columns)
	}
	b.open(base + "/dashboard?days=x").want(http.StatusOK)
}

func TestCompaniesOfADayAreListedPageByPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	testkit.Exec(t, s.dbURL, `INSERT INTO companies (id, account_id, name, visibility, source, created_by, updated_by,
		created_at)
		SELECT gen_random_uuid(), $1, 'Number ' || n, 'team', 'manual', $2, $2, '2026-03-04T12:00:00Z' FROM
			generate_series(1, 120) n`, s.account.ID, s.owner.ID)
	testkit.Exec(t, s.dbURL, "UPDATE companies SET created_at = '2026-03-05T00:00:00Z' WHERE name = 'Number 1'")
	testkit.Exec(t, s.dbURL, "UPDATE companies SET created_at = '2026-03-03T23:59:59Z' WHERE name = 'Number 2'")
	found, path := map[string]bool{}, s.consoleBase()+"/companies?from=2026-03-04&to=2026-03-04"
	for range 5 {
		page := string(b.open(path).want(http.StatusOK).Raw)
		for _, name := range regexp.MustCompile(`>(Number \d+)</a>`).FindAllStringSubmatch(page, -1) {
			found[name[1]] = true
		}
		next := regexp.MustCompile(`href="([^"]+)" rel="next"`).FindStringSubmatch(page)
		if next == nil {
			break
		}
		path = strings.ReplaceAll(next[1], "&amp;", "&")
	}
	if len(found) != 118 || found["Number 1"] || found["Number 2"] {
		t.Errorf("%d companies were added on the day, want 118", len(found))
	}
}
