package httpapi_test

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"dealflow/internal/account"
	"dealflow/internal/testkit"
)

func TestSavedViewsAreTabs(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	s.make(s.key, map[string]any{"name": "Hydrogen", "source": "referral"})
	s.make(s.key, map[string]any{"name": "Deuterium"})
	views := s.consoleBase() + "/views"
	save := func(b *browser, name string, more url.Values) string {
		form := url.Values{"name": {name}, "page": {"companies"}, "query": {"source=referral&sort=name"}}
		maps.Copy(form, more)
		return b.submit(views, form).want(http.StatusSeeOther).Header.Get("Location")
	}
	at := save(b, `<script>alert("x")</script>`, nil)
	b.page(at, "&lt;script&gt;", "!<script>alert", "Hydrogen", "!Deuterium", "Save into this view")
	b.page(strings.Replace(at, "/companies?", "/board?", 1), "Hydrogen", "!Deuterium")
	b.page(at+"&source=&search=", "Deuterium")
	b.page(s.consoleBase()+"/companies", "Deuterium", "&lt;script&gt;")
	b.page(strings.Replace(at, "/companies?", "/companies.csv?", 1), "Hydrogen", "!Deuterium")

	colleague, _ := s.colleague("Carla Colleague", account.RoleMember)
	must(t, s.deps.SignIn.SetPassword(t.Context(), colleague.ID, consolePassword))
	other := s.signIn(colleague.Email)
	other.page(at, "!&lt;script&gt;", "Deuterium") // a view that is not theirs filters nothing
	again := save(b, `<script>alert("x")</script>`, url.Values{"shared": {"yes"}})
	if again != at {
		t.Errorf("saved again it is at %s, first at %s", again, at)
	}
	other.page(at, "&lt;script&gt;", "!Deuterium", "!Save into this view")

	id := at[strings.Index(at, "view=")+len("view="):]
	form := url.Values{"name": {"Taken"}, "query": {""}, "shared": {"yes"}}
	other.submit(views+"/"+id, form).want(http.StatusForbidden)
	other.submit(views+"/"+id+"/delete", form).want(http.StatusForbidden)
	b.submit(views, url.Values{"name": {" "}}).want(http.StatusBadRequest)
	b.submit(views+"/"+missing(), form).want(http.StatusNotFound)
	b.submit(views+"/"+id, url.Values{
		"name": {"Plain"}, "query": {"view=" + id + "&search=deuterium&columns=own"},
		"shared": {"yes"},
	}).
		want(http.StatusSeeOther)
	other.page(at, "Plain", "Deuterium", "!Hydrogen")
	b.submit(views+"/"+id+"/delete", url.Values{"page": {"board"}}).want(http.StatusSeeOther)
	b.page(s.consoleBase()+"/board", "!Plain")
}

func TestAColumnOfTheBoardGoesOn(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.deals(60)
	b := s.signIn(s.withPassword())
	shown := map[string]bool{}
	next := regexp.MustCompile(`data-next="([^"]*)"`)
	page := b.page(s.consoleBase()+"/board", "data-board")
	for pages := 1; ; pages++ {
		for _, found := range regexp.MustCompile(`data-company="([^"]*)"`).FindAllSubmatch(page.Raw, -1) {
			if shown[string(found[1])] {
				t.Errorf("%s comes twice", found[1])
			}
			shown[string(found[1])] = true
		}
		to := next.FindSubmatch(page.Raw)
		if to == nil {
			if len(shown) != 60 || pages != 3 {
				t.Errorf("%d companies on %d pages", len(shown), pages)
			}
			break
		}
		page = b.page(html.UnescapeString(string(to[1])), "!<html", "!data-board")
	}
	stranger, _ := s.stranger()
	b.open("/app/" + stranger.ID.String() + "/board/column?status=no_status").want(http.StatusNotFound)
}

func TestEverySavedViewIsATab(t *testing.T) {
	t.Parallel()
	s := start(t)
	colleague, _ := s.colleague("Carla Colleague", account.RoleMember)
	testkit.Exec(t, s.dbURL, `INSERT INTO saved_views (id, account_id, name, shared, sort_by, ascending, columns,
			created_by, created_at)
		SELECT gen_random_uuid(), $1, 'Old ' || n, true, 'name', true, '{}', $2, now() - interval '1 day'
		FROM generate_series(1, 450) AS n`, s.account.ID, colleague.ID)
	s.make(s.key, map[string]any{"name": "Hydrogen", "source": "referral"})
	s.make(s.key, map[string]any{"name": "Deuterium"})
	b := s.signIn(s.withPassword())
	form := url.Values{"name": {"My newest"}, "page": {"companies"}, "query": {"source=referral"}}
	at := b.submit(s.consoleBase()+"/views", form).want(http.StatusSeeOther).Header.Get("Location")
	page := b.page(at, "My newest", "Hydrogen", "!Deuterium", "Save into this view")
	if tabs := strings.Count(string(page.Raw), ">Old "); tabs != 450 {
		t.Errorf("%d of 450 shared views are tabs", tabs)
	}
	if again := b.submit(s.consoleBase()+"/views", form).Header.Get("Location"); again != at {
		t.Errorf("saved again under its name, the view is at %s, first at %s", again, at)
	}
}
