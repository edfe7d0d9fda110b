package company_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/company"
	"dealflow/internal/company/attachment"
	"dealflow/internal/company/plain"
	"dealflow/internal/patch"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
)

// names returns the names of the companies that a list shows, in its order.
func (s *setup) names(t *testing.T, user uuid.UUID, q company.ListQuery) []string {
	t.Helper()
	if q.Limit == 0 {
		q.Page = paging.First(100)
	}
	views, _, err := s.Service.List(t.Context(), postgres.AsUser(user), q)
	if err != nil {
		t.Fatalf("list %+v: %v", q, err)
	}
	names := []string{}
	for _, view := range views {
		names = append(names, view.Name)
	}
	return names
}

func (s *setup) finds(t *testing.T, words string) bool {
	t.Helper()
	return len(s.names(t, s.Owner, company.ListQuery{Search: &words})) > 0
}

func TestSearchFindsWholeWords(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	notes, content := "Gute Rösterei in der Straße; see O'Brien, café",
		"我们的公司专注于机器人投资。次のテスト ﾛﾎﾞｯﾄ https://www.acme.example/deck?x=1 Ω-Σίσυφος 1,000.5 สวัสดีครับ"
	s.Create(t, "Kestrel-Works 2", func(in *company.NewCompany) {
		in.Notes = patch.Nullable[string]{Set: true, Value: &notes}
		in.SourceContent = &content
		in.Metadata = json.RawMessage(`{"founders":[{"name":"Zoë Lang","age":41}],"ai_analysis":"Builds\nrobots","deep":{"er":[["hidden gem"]]},"secretkey":"v"}`)
	})
	for words, want := range map[string]bool{
		"kestrel": true, "KESTREL works": true, "works kestrel": true, "Kestrel-Works": true, "kestre": false,
		"estrel": false, "kestrel eagle": false, "2": true,
		"rösterei": true, "RÖSTEREI": true, "Ro\u0308sterei": true, "rosterei": false, "strasse": true, "STRASSE": true,
		"o'brien": true, "brien": true, "cafe\u0301": true, "cafe": false,
		"zoë": true, "lang robots": true, "hidden gem": true, "gem hidden kestrel": true, "secretkey": false,
		"founders": false, "41": false,
		"acme": true, "www.acme.example": true, "https://www.acme.example/deck": true, "σίσυφος": true, "ΣΊΣΥΦΟΣ": true,
		"1,000.5": true, "ｋｅｓｔｒｅｌ": true,
		"公司": true, "机器人": true, "投资": true, "资": true, "器投": false, "公司 机器人": true, "司公": false, "我们的公司专注于机器人投资": true,
		"テスト": true, "ロボット": true, "ﾛﾎﾞｯﾄ": true,
		"kestrel机器人": true, "สวัสดี": true,
		"!!!": false, " ": false, "-": false, "🚀": false, "kestrel 🚀": true, "kestrel | eagle": false, "!eagle": false,
		"kestrel & works": true, "kestrel <-> works": true,
		"kestrel:*": true, "kest:*": false, "'kestrel": true, `kestrel\`: true, "(kestrel": true, "' || 9 --": false,
		"%": false, "kestr%": false, "_": false,
	} {
		if got := s.finds(t, words); got != want {
			t.Errorf("%q is found: %v, want %v", words, got, want)
		}
	}
}

func TestWordsComeWithCompanies(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for _, name := range []string{"Plain (Labs) 7", "Größe"} {
		notes := "Some “notes” – of " + name
		in := company.NewCompany{AccountID: s.Team, SourceContent: &notes}
		in.Name, in.Notes.Value = &name, &notes
		in.Metadata = json.RawMessage(`{"b": {"c": ["Strings, \"all\" of them\n", 1, null, true]}, "b-key": "2 words"}`)
		if _, err := s.Service.Create(t.Context(), postgres.AsUser(s.Owner), in); err != nil {
			t.Fatal(err)
		}
	}
	wrong := testkit.Texts(t, s.URL,
		"SELECT name || ': ' || words::text FROM companies c WHERE words <> app_company_vector(c)")
	if len(wrong) > 0 {
		t.Errorf("these companies have other words than the schema finds: %q", wrong)
	}
}

// TestWordsComeWithChanges changes companies of every kind, some of whose words only the database can make.
func TestWordsComeWithChanges(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	text := func(content string) func(*company.NewCompany) {
		return func(in *company.NewCompany) {
			in.SourceContent = &content
			in.Metadata = json.RawMessage(`{"a": "first", "b": {"c": ["deep \"words\"", 1]}}`)
		}
	}
	kinds := map[string]uuid.UUID{
		"plain":   s.Create(t, "Kestrel", text("A plain text.")),
		"letters": s.Create(t, "Größe", text("机器人")),
		"long":    s.Create(t, "Long", text(strings.Repeat("words of a long text ", 1000))),
		"shared":  s.Create(t, "Shared", func(in *company.NewCompany) { in.Visibility = new(company.VisibilityShared) }),
		"filed":   s.Create(t, "Filed", text("With a file.")),
	}
	file := postgres.NewID()
	testkit.Exec(t, s.URL, `INSERT INTO company_files (id, account_id, company_id, role, attachment_type, title,
		created_by) VALUES ($1, $2, $3, 'attachment', 'file', 't', $4)`, file, s.Team, kinds["filed"], s.Owner)
	testkit.Exec(t, s.URL, `INSERT INTO file_texts (file_id, account_id, company_id, reader, title, pages)
		VALUES ($1, $2, $3, 'x', 'Title', '["words of a page"]')`, file, s.Team, kinds["filed"])
	name, source := "Heron (Labs)", "email"
	changes := []company.Change{
		notes("Some “notes”"),
		notes("Größe"),
		{Name: &name, Source: &source},
		{Metadata: json.RawMessage(`{"a": "second", "d": ["more\nlines"]}`)},
		{Changes: plain.Changes{Notes: patch.Nullable[string]{Set: true}}},
	}
	for kind, id := range kinds {
		for n, change := range changes {
			if _, err := s.Service.Update(t.Context(), postgres.AsUser(s.Owner), id, change); err != nil {
				t.Fatal(err)
			}
			wrong := testkit.Texts(t, s.URL,
				"SELECT words::text FROM companies c WHERE words <> app_company_vector(c)")
			if len(wrong) > 0 {
				t.Errorf("after change %d, %s has other words than the schema finds: %.500q", n, kind, wrong)
			}
		}
	}
}

func TestSearchTakesAnyInput(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Create(t, "Kestrel", nil)
	for _, words := range []string{
		strings.Repeat("a", 500), strings.Repeat("a ", 250), strings.Repeat("机", 500), strings.Repeat("'", 500),
		strings.Repeat(`\`, 500), strings.Repeat("(", 500), "\u0001\u001f\u007f",
		"\U0010ffff", "\ufeff\u200b\u202e", "a\u0301\u0301\u0301", "&|!<->:*()'\\\"", "#t:" + s.Team.String(), "#a",
		strings.Repeat("\U0001f469\u200d", 200), "ﷺ", "İıſẞ",
	} {
		if s.finds(t, words) {
			t.Errorf("%.40q finds something", words)
		}
	}
}

func TestSearchKnowsWhatChanged(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", nil)
	change := func(c company.Change) {
		t.Helper()
		if _, err := s.Service.Update(t.Context(), postgres.AsUser(s.Owner), id, c); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(found string, lost ...string) {
		t.Helper()
		if !s.finds(t, found) {
			t.Errorf("%q is not found", found)
		}
		for _, word := range lost {
			if s.finds(t, word) {
				t.Errorf("%q is still found", word)
			}
		}
	}
	name, status := "Heron", s.Statuses["Passed"]
	change(notes("osprey"))
	expect("kestrel osprey")
	change(company.Change{StatusID: patch.Nullable[uuid.UUID]{Set: true, Value: &status}})
	expect("kestrel osprey")
	change(company.Change{
		Changes: plain.Changes{Notes: patch.Nullable[string]{Set: true}},
		Name:    &name, Metadata: json.RawMessage(`{"a":"merlin"}`),
	})
	expect("heron merlin", "kestrel", "osprey")
	change(company.Change{Metadata: json.RawMessage(`{"a":"hobby"}`)})
	expect("heron hobby", "merlin")
}

func TestSearchFindsWordsOfPDFs(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "lo-basic-12.pdf")
	s.Pitch(t, d)
	s.Analyzer.Findings = analysis.Findings{Name: "Acme", Analyzer: "rules"}
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	words := s.wordsOf(t, s.Analyzer.Asked[0].Documents[0].Pages)
	if !s.finds(t, words) || !s.finds(t, words+" remarkable acme") || s.finds(t, words+" nonsense") {
		t.Errorf("the deck's %q: found %v, with the company's own words %v, with another word %v", words, s.finds(t, words),
			s.finds(t, words+" remarkable acme"), s.finds(t, words+" nonsense"))
	}
	testkit.Exec(t, s.URL, "DELETE FROM company_files")
	if s.finds(t, words) || !s.finds(t, "remarkable") {
		t.Errorf("%q is found after its file has gone", words)
	}
}

// wordsOf returns some words of the middle of a document that the company's own text does not hold.
func (s *setup) wordsOf(t *testing.T, pages []string) string {
	t.Helper()
	words := slices.DeleteFunc(strings.Fields(pages[len(pages)/2]), func(w string) bool {
		return len(w) < 5 || strings.Contains(strings.ToLower(companykit.Long), strings.ToLower(w))
	})
	if len(words) < 3 {
		t.Fatalf("page %q has too few words", pages[len(pages)/2])
	}
	return strings.Join(words[:3], " ")
}

func TestLongTextsDoNotFailTheWrite(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	var distinct, dense strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&distinct, "w%da ", i)
		dense.WriteRune(rune(0x4e00 + (i*i*7+i)%20000))
	}
	for name, content := range map[string]string{
		"distinct words": distinct.String(),
		"one word":       strings.Repeat("x", 1<<20), "without spaces": dense.String(),
	} {
		s.Create(t, "Long "+name, func(in *company.NewCompany) { in.SourceContent = &content })
		if !s.finds(t, "long "+name) {
			t.Errorf("%s: the name is not found", name)
		}
	}
	if !s.finds(t, "w0a w1000a") {
		t.Error("the first words are not found")
	}
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "lo-basic-12.pdf")
	s.Pitch(t, d)
	pages, err := json.Marshal([]string{distinct.String(), dense.String(), strings.Repeat("deck ", 400_000)})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, s.URL, "INSERT INTO file_texts (file_id, account_id, company_id, reader, title, pages) VALUES ($1, "+
		"$2, $3, 'x', '', $4)", d.Files[0].ID, s.Team, d.CompanyID, string(pages))
	if !s.finds(t, "w5a remarkable") {
		t.Error("the words of a 2 MB deck are not found")
	}
}

func TestSearchFollowsVisibility(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for _, visibility := range company.Visibilities() {
		s.Create(t, "Kestrel "+visibility, func(in *company.NewCompany) { in.Visibility = &visibility })
	}
	words := "kestrel"
	for name, tc := range map[string]struct {
		user uuid.UUID
		want []string
	}{
		"creator": {s.Owner, []string{"Kestrel private", "Kestrel shared", "Kestrel team"}},
		"member":  {s.Member, []string{"Kestrel team"}}, "stranger": {s.Stranger, []string{}},
	} {
		if got := s.names(t, tc.user, company.ListQuery{
			Search: &words, Sort: company.SortName,
			Ascending: true,
		}); !slices.Equal(got, tc.want) {
			t.Errorf("%s finds %v, want %v", name, got, tc.want)
		}
	}
}

func TestWordsOfAnAttachedPDFAreFound(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", nil)
	file, err := s.Attach(t, s.Owner, id, "rl-helv-12.pdf", nil)
	if err != nil {
		t.Fatal(err)
	}
	item := s.Claim(t)
	if item.Kind != attachment.WorkRead {
		t.Fatalf("the queue was told of %s last", item.Kind)
	}
	if err := s.Analyst.Read(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	pages := testkit.Texts(t, s.URL, "SELECT jsonb_array_elements_text(pages) FROM file_texts")
	words := s.wordsOf(t, pages)
	if !s.finds(t, words+" kestrel") {
		t.Errorf("%q is not found", words)
	}
	if err := s.Attachments.Detach(t.Context(), s.Owner, id, file.ID); err != nil {
		t.Fatal(err)
	}
	if s.finds(t, words) {
		t.Errorf("%q is found in what was detached", words)
	}
}
