package analyst_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/blob"
	"dealflow/internal/company"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/match"
	"dealflow/internal/company/upload"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
)

// put stores a file in the folder of emails' attachments: the PDF of that name in companykit.Decks if the name ends
// with "12.pdf", else content.
func (s *setup) put(t *testing.T, name, content string) analyst.StoredFile {
	t.Helper()
	if strings.HasSuffix(name, "12.pdf") {
		raw, err := os.ReadFile(filepath.Join(companykit.Decks(), name))
		if err != nil {
			t.Fatal(err)
		}
		content = string(raw)
	}
	blobs, err := blob.Open(t.Context(), "file://"+s.Folder)
	if err != nil {
		t.Fatal(err)
	}
	defer blobs.Close()
	file := analyst.StoredFile{FileName: name, StoragePath: "emails/" + uuid.NewString()}
	if _, err := blobs.Write(t.Context(), file.StoragePath, strings.NewReader(content), 1<<30); err != nil {
		t.Fatal(err)
	}
	return file
}

func (s *setup) creator() *analyst.Creator {
	return analyst.NewCreator(s.Creations, s.Analyst, match.New())
}

func (s *setup) arrival(files ...analyst.StoredFile) analyst.Arrival {
	return analyst.Arrival{
		AccountID: s.Team, Text: "From: Zoë <zoe@gmail.com>\n\n" + companykit.Long, Source: "email", Sender: "zoe@gmail.com",
		Files: files,
	}
}

// resolve creates the company of an arrival, or finds it; an error fails the test.
func (s *setup) resolve(t *testing.T, user uuid.UUID, in analyst.Arrival) analyst.Resolved {
	t.Helper()
	resolved, err := s.create(t.Context(), s.creator(), user, in, func() {})
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return resolved
}

// create calls Prepare, Resolve and Close for an arrival. It calls begun in the transaction, before Resolve.
func (s *setup) create(
	ctx context.Context, creator *analyst.Creator, user uuid.UUID, in analyst.Arrival, begun func(),
) (resolved analyst.Resolved, err error) {
	arrival, err := creator.Prepare(ctx, user, in)
	if err != nil {
		return resolved, err
	}
	err = s.DB.Write(ctx, user, func(tx *postgres.Tx) (err error) {
		begun()
		resolved, err = arrival.Resolve(tx)
		return err
	})
	arrival.Close(ctx, err)
	return resolved, err
}

// inStorage counts the files in storage by their first folder.
func (s *setup) inStorage(t *testing.T) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, folder := range s.Stored(t) {
		counts[folder]++
	}
	return counts
}

func TestArrivalBecomesACompany(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	s.Analyzer.Findings.Source = ""
	resolved := s.resolve(t, s.Owner, s.arrival(s.put(t, "notes.txt", "words"), s.put(t, "lo-basic-12.pdf", "")))
	if !resolved.Created || !resolved.Public || resolved.Reason == "" || len(resolved.LeftOut) > 0 ||
		resolved.Analysis.ProcessedAt == nil {
		t.Errorf("resolved %+v", resolved)
	}
	view, err := s.Service.GetWithDeck(t.Context(), postgres.AsUser(s.Owner), resolved.CompanyID)
	if err != nil {
		t.Fatal(err)
	}
	if view.Name != "Acme Robotics" || view.Source != "email" || view.Status == nil || view.Status.Name != "New" ||
		view.Deck == nil || view.Deck.Title != "lo-basic-12.pdf" {
		t.Errorf("company %+v, status %+v, deck %+v", view.Company, view.Status, view.Deck)
	}
	if !strings.Contains(string(view.Metadata), "zoe@acme.example") || *view.DeckStoragePath != *view.Deck.StoragePath {
		t.Errorf("metadata %s, deck path %v", view.Metadata, *view.DeckStoragePath)
	}
	if got := s.inStorage(t); got["companies"] != 2 || got["incoming"] != 0 || got["emails"] != 2 {
		t.Errorf("in storage: %v", got)
	}
	if s.Count(t, "company_files") != 2 || s.Count(t, "file_texts") != 1 || s.Count(t, "activity") != 1 {
		t.Errorf("%d files, %d texts, %d activities", s.Count(t, "company_files"), s.Count(t, "file_texts"),
			s.Count(t, "activity"))
	}
}

func TestPictureIsNoDeckOfAnArrival(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	for name, tc := range map[string]struct {
		content string
		deck    bool
	}{
		"logo.png":   {"\x89PNG\r\n\x1a\n" + strings.Repeat("x", 50), false},
		"invite.ics": {"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n", false}, "deck.pdf": {"%PDF-1.4\n", true},
	} {
		s.Analyzer.Findings.Name, s.Analyzer.Findings.Founders = name, nil
		resolved := s.resolve(t, s.Owner, s.arrival(s.put(t, name, tc.content)))
		view, err := s.Service.GetWithDeck(t.Context(), postgres.AsUser(s.Owner), resolved.CompanyID)
		if err != nil {
			t.Fatal(err)
		}
		if (view.Deck != nil) != tc.deck || (view.DeckStoragePath != nil) != tc.deck {
			t.Errorf("%s: deck %+v, path %v", name, view.Deck, view.DeckStoragePath)
		}
	}
	if n := s.Count(t, "company_files"); n != 3 {
		t.Errorf("%d files, want all three", n)
	}
}

func TestWhatIsThereIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	deck := s.put(t, "lo-basic-12.pdf", "")
	s.Analyzer.Findings = s.Found()
	first := s.resolve(t, s.Owner, s.arrival(deck))
	s.Analyzer.Findings = analysis.Findings{Name: "Quite Another", Analyzer: "rules"}
	second := s.resolve(t, s.Owner, s.arrival(deck, s.put(t, "more.txt", "more")))
	if second.CompanyID != first.CompanyID || second.Created || !strings.Contains(second.Reason, "deck") {
		t.Errorf("second %+v, want %v", second, first.CompanyID)
	}
	if got := s.inStorage(t); got["companies"] != 1 || got["incoming"] != 0 || s.Count(t, "companies") != 1 ||
		s.Count(t, "company_files") != 1 {
		t.Errorf("in storage %v, %d companies, %d files", got, s.Count(t, "companies"), s.Count(t, "company_files"))
	}
}

func TestFailureLeavesNothingOfAnArrival(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	in := s.arrival(s.put(t, "lo-basic-12.pdf", ""))
	refused := errors.New("refused")
	for name, resolve := range map[string]func(*postgres.Tx, *analyst.Prepared) error{
		"before": func(*postgres.Tx, *analyst.Prepared) error { return refused },
		"after": func(tx *postgres.Tx, arrival *analyst.Prepared) error {
			_, err := arrival.Resolve(tx)
			return errors.Join(err, refused)
		},
		"unused": func(*postgres.Tx, *analyst.Prepared) error { return nil },
	} {
		arrival, err := s.creator().Prepare(t.Context(), s.Owner, in)
		if err != nil {
			t.Fatal(err)
		}
		err = s.DB.Write(t.Context(), s.Owner, func(tx *postgres.Tx) error { return resolve(tx, arrival) })
		arrival.Close(t.Context(), err)
		if (name == "unused") != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.Analyzer.Err = errors.New("no analyzer")
	if _, err := s.creator().Prepare(t.Context(), s.Owner, in); err == nil {
		t.Error("an analysis that fails is no error")
	}
	if got := s.inStorage(t); got["companies"] != 0 || got["incoming"] != 0 || got["emails"] != 1 ||
		s.Count(t, "companies") != 0 {
		t.Errorf("in storage %v, %d companies", got, s.Count(t, "companies"))
	}
}

func TestFilesThatAreLeftOut(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	files := []analyst.StoredFile{
		{FileName: "gone.pdf", StoragePath: "emails/gone"},
		s.put(t, "empty.txt", ""),
		s.put(t, "large.bin", strings.Repeat("x", 1<<20+1)),
	}
	for i := range 3 {
		files = append(files, s.put(t, fmt.Sprintf("picture%d.png", i), "\x89PNG\r\n\x1a\n"+strings.Repeat("x", 50)))
	}
	for i := range upload.MaxFiles - 1 {
		files = append(files, s.put(t, fmt.Sprintf("note%d.txt", i), "words"))
	}
	resolved := s.resolve(t, s.Owner, s.arrival(files...))
	told := strings.Join(resolved.LeftOut, "\n")
	for _, want := range []string{
		"gone.pdf: it is gone", "empty.txt: it is empty", "large.bin: it is too large", "picture1.png: a company takes 10",
		"picture2.png: a company",
	} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told: %s", want, told)
		}
	}
	if strings.Contains(told, "note") || strings.Contains(told, "picture0") ||
		s.Count(t, "company_files") != upload.MaxFiles || s.inStorage(t)["incoming"] != 0 {
		t.Errorf("left out: %s; %d files; %v", told, s.Count(t, "company_files"), s.inStorage(t))
	}
}

func TestSenderCountsWhereNothingElseTells(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	acme := s.known(t, "Acme", "ada@acme.example", "team")
	for name, tc := range map[string]struct {
		findings analysis.Findings
		sender   string
		same     bool
	}{
		"a plain answer":                  {analysis.Findings{Name: naming.Unnamed}, "Ada@acme.example", true},
		"a colleague's plain answer":      {analysis.Findings{Name: naming.Unnamed}, "bob@acme.example", true},
		"an introduction":                 {analysis.Findings{Name: "Beta"}, "ada@acme.example", false},
		"an introduction of a short name": {analysis.Findings{Name: "N26"}, "ada@acme.example", false},
		"a short subject":                 {analysis.Findings{Name: "s7"}, "ada@acme.example", true},
		"an introduction with a founder": {
			analysis.Findings{Name: naming.Unnamed, Founders: []analysis.Founder{{Email: "zoe@beta.example"}}},
			"ada@acme.example", false,
		},
		"a stranger's plain answer": {analysis.Findings{Name: naming.Unnamed}, "eve@elsewhere.example", false},
		"a member's note":           {analysis.Findings{Name: naming.Unnamed}, "member@fund.example", false},
		"nobody":                    {analysis.Findings{Name: naming.Unnamed}, "", false},
	} {
		s.Analyzer.Findings = tc.findings
		in := s.arrival()
		in.Sender, in.Text = tc.sender, "Subject: s7\n\nThanks, see you and N26 on Tuesday."
		if resolved := s.resolve(t, s.Owner, in); (resolved.CompanyID == acme) != tc.same || resolved.Created == tc.same {
			t.Errorf("%s: %+v", name, resolved)
		}
	}
}

func TestCompaniesOfOthersStayUnknown(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	secret := s.known(t, "Acme Robotics", "zoe@acme.example", "private")
	s.Analyzer.Findings = s.Found()
	if resolved := s.resolve(t, s.Owner, s.arrival()); resolved.CompanyID != secret || resolved.Public {
		t.Errorf("to its creator: %+v, want the private company, not public", resolved)
	}
	if resolved := s.resolve(t, s.Member, s.arrival()); resolved.CompanyID == secret || !resolved.Created {
		t.Errorf("to a member: %+v", resolved)
	}
}

// concurrent resolves an arrival for each of the findings. All their transactions are open at the same time.
func (s *setup) concurrent(t *testing.T, findings []analysis.Findings) []analyst.Resolved {
	t.Helper()
	resolved, errs := make([]analyst.Resolved, len(findings)), make([]error, len(findings))
	var together, all sync.WaitGroup
	together.Add(len(findings))
	for i, f := range findings {
		all.Go(func() {
			deps := s.Deps
			deps.Analyzer = &companykit.Scripted{Findings: f}
			creator := analyst.NewCreator(s.Creations, analyst.New(deps), match.New())
			in := s.arrival()
			in.Sender = ""
			resolved[i], errs[i] = s.create(t.Context(), creator, s.Owner, in, func() {
				together.Done()
				together.Wait()
			})
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return resolved
}

func TestTwoAtOnceMakeOneCompany(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	person := func(address string) []analysis.Founder { return []analysis.Founder{{Name: "Zoë", Email: address}} }
	for name, findings := range map[string][]analysis.Findings{
		"one address": {
			{Name: "Ca", Founders: person("zoe@gmail.com")},
			{Name: "Cb", Founders: person("zoe@gmail.com")},
			{Name: "Cc", Founders: person("Zoe@Gmail.com")},
		},
		"one domain": {
			{Name: "Da", Founders: person("a@dd.example")},
			{Name: "Db", Founders: person("b@mail.dd.example")},
			{Name: "Dc", Founders: person("c@dd.example")},
		},
		"one name": {{Name: "Eaglet"}, {Name: "EAGLET Inc."}, {Name: "Eaglet GmbH"}},
		"crosswise chains": {
			{Name: "Fa", Founders: person("f@ff.example")},
			{Name: "fa ltd", Founders: person("g@ff.example")},
			{Name: "Fa", Founders: person("f@ff.example")},
		},
	} {
		made := map[uuid.UUID]bool{}
		created := 0
		for _, one := range s.concurrent(t, findings) {
			made[one.CompanyID] = true
			if one.Created {
				created++
			}
		}
		if len(made) != 1 || created != 1 {
			t.Errorf("%s: %d companies, %d created; want one", name, len(made), created)
		}
	}
	if n := s.Count(t, "companies"); n != 4 {
		t.Errorf("%d companies, want 4", n)
	}
}

func TestEarlierEmailsOfAFounderAreLinked(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	mail := func(team uuid.UUID, from string) uuid.UUID {
		id := uuid.New()
		testkit.Exec(t, s.URL, "INSERT INTO emails (id, account_id, external_id, from_email) VALUES ($1, $2, $3, $4)", id,
			team, id.String(), from)
		return id
	}
	his, elsewhere, other := mail(s.Team, "Zoe@ACME.example"), mail(s.Rival, "zoe@acme.example"),
		mail(s.Team, "bob@acme.example")
	members := mail(s.Team, "member@fund.example")
	s.known(t, "Own", "member@fund.example", "team")
	id := s.known(t, "Acme", "", "team")
	if got := testkit.Texts(t, s.URL, "SELECT email_id::text FROM email_companies"); len(got) > 0 {
		t.Fatalf("linked before anybody is known: %v", got)
	}
	if _, err := s.Service.Update(t.Context(), postgres.AsUser(s.Owner), id,
		company.Change{Metadata: json.RawMessage(`{"founders": [{"email": "zoe@acme.example"}]}`)}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(testkit.Texts(t, s.URL, "SELECT email_id::text FROM email_companies WHERE company_id = $1", id),
		" ")
	if got != his.String() {
		t.Errorf("linked %s; want %v alone, not %v (another team's), %v (another address), %v (a member's)", got, his,
			elsewhere, other, members)
	}
}

// known creates a company with this visibility, as the owner. Unless founder is "", it has a founder with that address.
func (s *setup) known(t *testing.T, name, founder, visibility string) uuid.UUID {
	t.Helper()
	founders := []map[string]string{}
	if founder != "" {
		founders = append(founders, map[string]string{"name": "Ada", "email": founder})
	}
	metadata, err := json.Marshal(map[string]any{"founders": founders})
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.Service.Create(t.Context(), postgres.AsUser(s.Owner), company.NewCompany{
		AccountID: s.Team, Change: company.Change{Name: &name, Visibility: &visibility, Metadata: metadata},
	})
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}
