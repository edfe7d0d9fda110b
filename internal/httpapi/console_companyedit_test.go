package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"dealflow/internal/account"
)

// What a team keeps of its companies is filled in on their pages.
func TestFieldsOfTheTeamAreFilledInOnTheirPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key, part{"metadata", "", `{"Sector": "Old", "Other": 1}`})
	page := s.consoleBase() + "/companies/" + id
	fields := s.consoleBase() + "/team/fields/add"
	b.submit(fields, url.Values{"name": {"Sector"}, "field_type": {"select"}, "options": {"Bio\nClimate"}})
	b.submit(fields, url.Values{"name": {"Site <b>"}, "field_type": {"url"}})
	shown := b.page(page, "<dt dir=\"auto\">Sector</dt><dd dir=\"auto\">Old</dd>", "<option selected>Old</option>",
		"Site &lt;b&gt;", "not set", "!Site <b>")
	keys := regexp.MustCompile(`name="(own\.[0-9a-f-]+)"`).FindAllStringSubmatch(string(shown.Raw), -1)
	if len(keys) != 2 {
		t.Fatalf("the page has %d inputs of fields: %s", len(keys), shown.Raw)
	}
	b.submit(page+"/edit", url.Values{
		"own": {"yes"}, keys[0][1]: {"Bio"}, keys[1][1]: {"javascript:alert(1)"},
	}).want(http.StatusSeeOther)
	b.page(page, `<dd dir="auto">Bio</dd>`, `<dd dir="auto">javascript:alert(1)</dd>`, `!href="javascript`)
	if got := s.get(companies+"/"+id, s.key).at("data.company.metadata.Other"); fmt.Sprint(got) != "1" {
		t.Errorf("what is no field is %v", got)
	}
}

// A form may have fields of the team and, with them, a summary and founders.
func TestAFormMayHaveFieldsOfTheTeamAndASummary(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key, part{"metadata", "", `{"Sector": "Old"}`})
	page := s.consoleBase() + "/companies/" + id
	b.submit(s.consoleBase()+"/team/fields/add", url.Values{"name": {"Sector"}, "field_type": {"text"}})
	field := regexp.MustCompile(`name="(own\.[0-9a-f-]+)"`).FindStringSubmatch(string(b.page(page).Raw))
	if field == nil {
		t.Fatal("the page has no input of the field")
	}
	b.submit(page+"/edit", url.Values{
		"own": {"yes"}, field[1]: {"Bio"}, "summary": {"It grows yeast."}, "founder_name": {"Grace"},
	}).want(http.StatusSeeOther)
	got := s.get(companies+"/"+id, s.key)
	for member, want := range map[string]string{
		"Sector": "Bio", "ai_analysis": "It grows yeast.", "founders.0.name": "Grace",
	} {
		if now := got.at("data.company.metadata." + member); now != want {
			t.Errorf("%s is %v, want %q", member, now, want)
		}
	}
}

func TestACompanyIsEditedOnItsPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key, part{"text", "", "We are Acme and make anvils."})
	at := s.consoleBase() + "/companies/" + id
	b.submit(at+"/edit", url.Values{
		"name": {"Anvil Works"}, "summary": {"Anvils by mail."}, "notes": {"**Good**"}, "source": {"referral"},
		"assignees": {"yes"}, "assignee": {s.owner.ID.String()},
		"founder_name": {"Ada", ""}, "founder_title": {"CEO", ""}, "founder_email": {"ada@acme.example", ""},
		"founder_background": {"Forged.", ""},
	}).want(http.StatusSeeOther)
	b.page(at, "Anvil Works", "Anvils by mail.", "<strong>Good</strong>", "ada@acme.example", "Forged.")
	got := s.get(companies+"/"+id, s.key)
	if got.at("data.company.source") != "referral" || got.at("data.company.assignees.0.name") != s.owner.Name ||
		got.at("data.company.metadata.founders.1") != nil {
		t.Errorf("the company is %s", got.Raw)
	}
	// of the name and of the founders; the source was not asked for
	if corrected := s.count("corrections"); corrected != 2 {
		t.Errorf("%d corrections teach the account", corrected)
	}
	b.submit(at+"/edit", url.Values{"name": {" "}}).want(http.StatusBadRequest)
	colleague, _ := s.colleague("Carla Colleague", account.RoleMember)
	b.submit(at+"/shares", url.Values{"user": {colleague.ID.String()}}).want(http.StatusSeeOther)
	b.page(at, "Take back")
	b.submit(at+"/shares", url.Values{"user": {colleague.ID.String()}, "remove": {"yes"}}).want(http.StatusSeeOther)
	b.page(at, "!Take back")
	b.submit(at+"/analysis", url.Values{}).want(http.StatusSeeOther)
}

func TestAFormOverwritesNoTextThatItDidNotShow(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key, part{"notes", "", "as both see it"})
	at := s.consoleBase() + "/companies/" + id
	hidden := regexp.MustCompile(
		`name="seen" value="(\w+)">[^"]*<\w+ (?:type="url" )?name="(name|summary|notes|deck_\w+)"`)
	seen := map[string]string{} // what the page has of each field, as both open it
	for _, form := range hidden.FindAllStringSubmatch(string(b.open(at).Raw), -1) {
		seen[form[2]] = form[1]
	}
	const first, second = "https://a.example/the-first", "https://b.example/the-second"
	for _, field := range []string{"name", "summary", "notes", "deck_link"} {
		wrote := url.Values{"seen": {seen[field]}, field: {first}}
		b.submit(at+"/edit", wrote).want(http.StatusSeeOther)
		b.submit(at+"/edit", wrote).want(http.StatusSeeOther) // a double click
		late := b.submit(at+"/edit", url.Values{"seen": {seen[field]}, field: {second}})
		if late.Status != http.StatusConflict || !strings.Contains(string(late.Raw), "load the page again") {
			t.Errorf("%s: the second is answered %d %.3000s", field, late.Status, late.Raw)
		}
	}
	got := s.get(companies+"/"+id, s.key)
	for _, member := range []string{"name", "metadata.ai_analysis", "notes", "deck_link"} {
		if got.at("data.company."+member) != first {
			t.Errorf("%s is %v, want what the first wrote", member, got.at("data.company."+member))
		}
	}
}

func TestAFormOverwritesNoFoundersThatItDidNotShow(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key, part{"metadata", "", `{"founders": [{"name": "Ada"}]}`})
	at := s.consoleBase() + "/companies/" + id
	hidden := regexp.MustCompile(`name="seen" value="(\w+)"><fieldset><legend>Ada`)
	seen := hidden.FindStringSubmatch(string(b.open(at).Raw))
	if seen == nil {
		t.Fatal("the form of the founders does not say what it shows")
	}
	first := url.Values{"seen": seen[1:], "founder_name": {"Ada", "Grace"}}
	b.submit(at+"/edit", first).want(http.StatusSeeOther)
	b.submit(at+"/edit", first).want(http.StatusSeeOther)
	late := b.submit(at+"/edit", url.Values{"seen": seen[1:], "founder_name": {"Ada", "Edsger"}})
	if late.Status != http.StatusConflict || !strings.Contains(string(late.Raw), "of founders was changed meanwhile") {
		t.Errorf("the second is answered %d %.3000s", late.Status, late.Raw)
	}
	b.page(at, "Grace", "!Edsger")
}

// Of a form with several fields, those that nobody touched stay as they are by now.
func TestAFormOverwritesNoFieldOfTheTeamThatItDidNotShow(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key, part{"metadata", "", `{"Sector": "Old", "City": "Oslo"}`})
	at := s.consoleBase() + "/companies/" + id
	for _, name := range []string{"Sector", "City"} {
		b.submit(s.consoleBase()+"/team/fields/add", url.Values{"name": {name}, "field_type": {"text"}})
	}
	hidden := regexp.MustCompile(`name="(seen\.(own\.[0-9a-f-]+))" value="(\w+)"`)
	shown := hidden.FindAllStringSubmatch(string(b.open(at).Raw), -1)
	if len(shown) != 2 {
		t.Fatalf("the form says of %d fields what it shows", len(shown))
	}
	form := func(sector, city string) url.Values {
		return url.Values{
			"own": {"yes"}, shown[0][1]: shown[0][3:], shown[1][1]: shown[1][3:],
			shown[0][2]: {sector}, shown[1][2]: {city},
		}
	}
	b.submit(at+"/edit", form("New", "Oslo")).want(http.StatusSeeOther)
	b.submit(at+"/edit", form("New", "Oslo")).want(http.StatusSeeOther)
	late := b.submit(at+"/edit", form("Newest", "Oslo"))
	if late.Status != http.StatusConflict || !strings.Contains(string(late.Raw), "Sector was changed meanwhile") {
		t.Errorf("a change of a changed field is answered %d %.3000s", late.Status, late.Raw)
	}
	b.submit(at+"/edit", form("Old", "Bergen")).want(http.StatusSeeOther)
	got := s.get(companies+"/"+id, s.key)
	if got.at("data.company.metadata.Sector") != "New" || got.at("data.company.metadata.City") != "Bergen" {
		t.Errorf("Sector is %v and City %v, want New and Bergen", got.at("data.company.metadata.Sector"),
			got.at("data.company.metadata.City"))
	}
}
