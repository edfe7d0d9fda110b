package httpapi_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dealflow/internal/account"
	"dealflow/internal/testkit"
)

// listed returns the companies that a page shows, in its order, and where its link with this rel leads.
func (r reply) listed(rel string) (names []string, to string) {
	r.t.Helper()
	row := regexp.MustCompile(`<th scope="row" dir="auto"><a href="[^"]*">([^<]*)</a>`)
	for _, found := range row.FindAllSubmatch(r.Raw, -1) {
		names = append(names, string(found[1]))
	}
	if found := regexp.MustCompile(`href="([^"]*)" rel="` + rel + `"`).FindSubmatch(r.Raw); found != nil {
		to = html.UnescapeString(string(found[1]))
	}
	return names, to
}

// deals makes companies with nothing but a name, a minute apart, and returns their ids.
func (s *server) deals(count int) []string {
	s.Helper()
	ids := make([]string, count)
	for i := range ids {
		ids[i] = s.make(s.key, map[string]any{"name": fmt.Sprintf("Deal %03d", i)})
		testkit.Exec(s.T, s.dbURL, "UPDATE companies SET created_at = '2026-01-01'::timestamptz + make_interval(mins => "+
			"$2) WHERE id = $1", ids[i], i)
	}
	return ids
}

func TestTheTablePagesToTheEndAndBack(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.deals(120)
	b := s.signIn(s.withPassword())
	for _, sort := range []string{"created_at", "created_at_asc", "updated_at", "updated_at_asc", "name", "name_desc"} {
		var pages [][]string
		at := s.consoleBase() + "/companies?sort=" + sort
		for at != "" {
			names, next := b.page(at).listed("next")
			pages, at = append(pages, names), next
		}
		all := slices.Concat(pages...)
		if len(all) != 120 || len(slices.Compact(slices.Sorted(slices.Values(all)))) != 120 || len(pages) != 3 {
			t.Errorf("%s: %d companies on %d pages", sort, len(all), len(pages))
		}
		if sort != "created_at" && sort != "updated_at_asc" && sort != "name_desc" {
			continue
		}
		_, at = b.page(s.consoleBase() + "/companies?sort=" + sort).listed("next")
		_, at = b.page(at).listed("next")
		for n := 1; n >= 0; n-- {
			_, at = b.page(at).listed("prev")
			if names, _ := b.page(at).listed("next"); !slices.Equal(names, pages[n]) {
				t.Errorf("%s: back on page %d are %q, first there were %q", sort, n, names, pages[n])
			}
		}
	}
	if names, _ := b.page(s.consoleBase() + "/companies?sort=name&before=x").listed("next"); names[0] != "Deal 000" {
		t.Errorf("of a malformed position the first company is %q, want that of the list", names[0])
	}
	for _, odd := range []string{
		"behind=x", "behind=x_" + missing(), "before=%00_" + missing(), "sort=%00", "search=%00",
		"status=x", "view=x",
	} {
		b.page(s.consoleBase() + "/companies?sort=name&" + odd)
		b.page(s.consoleBase() + "/board?" + odd)
	}
}

func TestColumnsOfTheTableAreChosenAndRemembered(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	s.company(s.key, part{"name", "", "Hydrogen"}, part{"text", "", "a pitch"})
	at := s.consoleBase() + "/companies"
	b.page(at, ">Status</th>", "!>Visibility</th>")
	b.submit(s.consoleBase()+"/columns", url.Values{
		"column": {"visibility", "deck"},
		"query":  {"sort=name"},
	}).want(http.StatusSeeOther)
	b.page(at, ">Visibility</th>", "<td>team</td>", "!>Founders</th>")
	b.submit(s.consoleBase()+"/columns", url.Values{"column": {"x"}}).want(http.StatusBadRequest)
	colleague, _ := s.colleague("Carla Colleague", account.RoleMember)
	must(t, s.deps.SignIn.SetPassword(t.Context(), colleague.ID, consolePassword))
	s.signIn(colleague.Email).page(at, ">Founders</th>", "!>Visibility</th>")
}

func TestManyCompaniesAreChangedAtOnceAsEachAllows(t *testing.T) {
	t.Parallel()
	s := start(t)
	ids := s.deals(3)
	stranger, otherKey := s.stranger()
	theirs := s.make(otherKey, map[string]any{"account_id": stranger.ID, "name": "Deuterium"})
	hidden := s.make(s.key, map[string]any{"name": "Secret", "visibility": "private"})
	stage := s.get(s.statusesPath(), s.key).text("data.2.id")
	colleague, _ := s.colleague("Carla Colleague", account.RoleMember)
	must(t, s.deps.SignIn.SetPassword(t.Context(), colleague.ID, consolePassword))
	b := s.signIn(colleague.Email)
	at := s.consoleBase() + "/companies?sort=name"
	change := func(form url.Values) string {
		return string(b.submit(at, form).want(http.StatusOK).Raw)
	}
	form := url.Values{
		"company": {ids[0], ids[1], theirs, hidden, missing()}, "status": {stage}, "assignee": {colleague.ID.String()},
	}
	for _, want := range []string{ // the answer was lost: the form is sent once more
		"2 companies were changed.", "0 companies were changed.</h2>\n<p>2 were like that already.",
	} {
		page := change(form)
		if !strings.Contains(page, want) || !strings.Contains(page, "3 were not changed: not there any more") ||
			strings.Contains(page, "Secret") || strings.Contains(page, "Deuterium") {
			t.Errorf("%q is not what the page shows: %.3000s", want, page)
		}
	}
	for i, want := range []any{stage, stage, nil} {
		got := s.get(companies+"/"+ids[i], s.key)
		if got.at("data.company.company_status_id") != want ||
			(got.at("data.company.assignees.0.id") != nil) != (want != nil) {
			t.Errorf("company %d is %s", i, got.Raw)
		}
	}
	if got := s.get(companies+"/"+hidden, s.key).at("data.company.company_status_id"); got == stage {
		t.Error("a hidden company was moved")
	}
	if got := s.get(companies+"/"+theirs, otherKey).at("data.company.assignees.0"); got != nil {
		t.Error("another team's company was assigned")
	}
	change(url.Values{"company": {ids[0]}, "assignee": {"nobody"}})
	if got := s.get(companies+"/"+ids[0], s.key).at("data.company.assignees.0"); got != nil {
		t.Errorf("assigned is %v", got)
	}
	for want, wrong := range map[string]url.Values{
		"select the companies first":     {"status": {stage}},
		"choose a status or an assignee": {"company": {ids[0]}},
		"more than can be changed":       {"company": slices.Repeat([]string{ids[0]}, 201), "status": {stage}},
		"is no member of this account":   {"company": {ids[0]}, "assignee": {missing()}},
	} {
		if page := change(wrong); !strings.Contains(page, want) {
			t.Errorf("%v: the page shows no %q", wrong, want)
		}
	}
	across := b.header()
	across.Set("Sec-Fetch-Site", "cross-site")
	s.send(request{
		Method: http.MethodPost, Path: at, Body: form.Encode(), Type: "application/x-www-form-urlencoded", Header: across,
	}).want(http.StatusForbidden)
}

func TestAllCompaniesThatMatchAreChanged(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.deals(230) // more than one transaction changes
	kept := s.make(s.key, map[string]any{"name": "Hydrogen", "source": "referral"})
	hidden := s.make(s.key, map[string]any{"name": "Deal of mine", "visibility": "private"})
	third := s.get(s.statusesPath(), s.key).text("data.2.id")
	colleague, _ := s.colleague("Carla Colleague", account.RoleMember)
	must(t, s.deps.SignIn.SetPassword(t.Context(), colleague.ID, consolePassword))
	b := s.signIn(colleague.Email)
	at := s.consoleBase() + "/companies?search=deal&sort=updated_at&status=no_status"
	b.page(at, "All 230 that match")
	b.page(s.consoleBase()+"/companies?search=230", "!that match")
	form := url.Values{"all": {"yes"}, "status": {third}, "assignee": {colleague.ID.String()}}
	shows := func(at string, words ...string) {
		t.Helper()
		page := string(b.submit(at, form).want(http.StatusOK).Raw)
		for _, word := range words {
			if !strings.Contains(page, word) {
				t.Errorf("%q is not shown: %.3000s", word, page)
			}
		}
	}
	shows(at, "Change 230 companies?", "Their status becomes “First Meeting”.", "assigned to Carla Colleague alone.")
	if n := s.count("company_assignees"); n != 0 {
		t.Fatalf("%d companies were assigned before that was confirmed", n)
	}
	form.Set("confirmed", "yes")
	shows(at, "230 companies were changed.", "No company matches")
	shows(at, "0 companies were changed.")
	b.page(s.consoleBase()+"/companies?status="+third, "All 230 that match", "!Hydrogen")
	if got := testkit.Texts(t, s.dbURL, `SELECT count(*)::text || ' ' || count(DISTINCT company_id) FROM activity WHERE
		description LIKE 'Company Deal % moved from no status to First Meeting'`)[0]; got != "230 230" {
		t.Errorf("activity has %s moves", got)
	}
	got := testkit.Texts(t, s.dbURL, `SELECT count(*)::text FROM companies c JOIN company_assignees a
		ON a.company_id = c.id WHERE a.user_id = '`+colleague.ID.String()+`' AND c.edited = 'company_status_id'`)[0]
	if got != "230" {
		t.Errorf("%s companies are assigned", got)
	}
	for _, id := range []string{kept, hidden} {
		if got := s.get(companies+"/"+id, s.key).at("data.company.company_status_id"); got != nil {
			t.Errorf("company %s was moved to %v", id, got)
		}
	}
	form.Set("assignee", missing())
	shows(s.consoleBase()+"/companies", "Nothing was changed: ", "is no member")
}

// TestAllThatMatchAreNotChangedUncounted sends forms that the page does not offer.
func TestAllThatMatchAreNotChangedUncounted(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.company(s.key)
	b := s.signIn(s.withPassword())
	third := s.get(s.statusesPath(), s.key).text("data.2.id")
	for _, day := range []string{"to=2000-01-01", "from=2999-01-01"} {
		for _, form := range []url.Values{{"all": {"yes"}}, {"all": {"yes"}, "confirmed": {"yes"}}} {
			form.Set("status", third)
			got := b.submit(s.consoleBase()+"/companies?"+day, form).want(http.StatusOK)
			if !strings.Contains(string(got.Raw), "Nothing was changed: all that match are too many, or limited by days.") {
				t.Errorf("%s is answered to %s: %.3000s", form, day, got.Raw)
			}
		}
	}
	if got := s.get(companies+"/"+id, s.key).at("data.company.company_status_id"); got != nil {
		t.Errorf("a company that did not match was moved to %v", got)
	}
}

func TestTheTableIsDownloadedAsItIsShown(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	s.deals(520) // more than are read at once
	s.make(s.key, map[string]any{"name": `=HYPERLINK("http://evil.example")`, "source": "referral"})
	table := func(query string) [][]string {
		got := b.open(s.consoleBase() + "/companies.csv?" + query).want(http.StatusOK)
		if got.Header.Get("Content-Type") != "text/csv; charset=utf-8" ||
			!strings.Contains(got.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("the headers are %v", got.Header)
		}
		text, marked := strings.CutPrefix(string(got.Raw), "\ufeff")
		if !marked {
			t.Error("Excel would read the file in another charset than UTF-8")
		}
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		must(t, err)
		return rows
	}
	all := table("sort=name_desc")
	if len(all) != 522 || !slices.Equal(all[0], []string{
		"name", "status", "founders", "source", "assignees",
		"created_at", "id",
	}) ||
		all[1][0] != "Deal 519" {
		t.Errorf("%d rows, beginning with %q, %q", len(all), all[0], all[1])
	}
	if one := table("source=referral"); len(one) != 2 || one[1][0] != `'=HYPERLINK("http://evil.example")` ||
		one[1][3] != "referral" {
		t.Errorf("the formula is %q", one)
	}
	if day := table("from=2026-01-01&to=2026-01-01"); len(day) != 521 {
		t.Errorf("%d rows of a day", len(day))
	}
	nobody := &browser{server: s}
	nobody.open(s.consoleBase() + "/companies.csv").want(http.StatusSeeOther)
}

func TestATableChangesCompaniesOfItsAccountAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	other := testkit.Account(t, s.db, s.owner.ID, "Another team").ID
	elsewhere := s.make(s.key, map[string]any{"account_id": other, "name": "Elsewhere"})
	page := b.submit(s.consoleBase()+"/companies", url.Values{"company": {elsewhere}, "assignee": {s.owner.ID.String()}}).
		want(http.StatusOK)
	if !strings.Contains(string(page.Raw), "1 was not changed: not there any more") ||
		strings.Contains(string(page.Raw), "Elsewhere") {
		t.Errorf("the page shows %.3000s", page.Raw)
	}
	if got := s.get(companies+"/"+elsewhere, s.key).at("data.company.assignees.0"); got != nil {
		t.Errorf("a company of another account is assigned to %v", got)
	}
}
