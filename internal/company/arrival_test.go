package company_test

import (
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
	"dealflow/internal/blob"
	"dealflow/internal/company"
	"dealflow/internal/company/match"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

// put stores a file as an email's attachment would lie there: a deck of testdata, else these words.
func (s *setup) put(t *testing.T, name, content string) company.StoredFile {
	t.Helper()
	if strings.HasSuffix(name, "12.pdf") {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		content = string(raw)
	}
	blobs, err := blob.Open(t.Context(), "file://"+s.folder)
	if err != nil {
		t.Fatal(err)
	}
	defer blobs.Close()
	file := company.StoredFile{FileName: name, StoragePath: "emails/" + uuid.NewString()}
	if _, err := blobs.Write(t.Context(), file.StoragePath, strings.NewReader(content), 1<<30); err != nil {
		t.Fatal(err)
	}
	return file
}

func (s *setup) creator() *company.Creator {
	return company.NewCreator(s.service, s.analyst, match.New())
}

func (s *setup) arrival(files ...company.StoredFile) company.Arrival {
	return company.Arrival{AccountID: s.team, Text: "From: Zoë <zoe@gmail.com>\n\n" + long, Source: "email", Sender: "zoe@gmail.com", Files: files}
}

// settle lets an arrival become what it will.
func (s *setup) settle(t *testing.T, user uuid.UUID, in company.Arrival) company.Settled {
	t.Helper()
	var settled company.Settled
	err := s.creator().Create(t.Context(), user, in, func(_ *postgres.Tx, settle func() (company.Settled, error)) (err error) {
		settled, err = settle()
		return err
	})
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return settled
}

// inStorage counts the files in storage by their first folder.
func (s *setup) inStorage(t *testing.T) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, folder := range s.stored(t) {
		counts[folder]++
	}
	return counts
}

func TestArrivalBecomesACompany(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.analyzer.findings = s.found()
	s.analyzer.findings.Source = ""
	settled := s.settle(t, s.owner, s.arrival(s.put(t, "notes.txt", "words"), s.put(t, "lo-basic-12.pdf", "")))
	if !settled.Created || !settled.Public || settled.Reason == "" || len(settled.LeftOut) > 0 || settled.Analysis.ProcessedAt == nil {
		t.Errorf("settled %+v", settled)
	}
	view, err := s.service.GetWithDeck(t.Context(), postgres.AsUser(s.owner), settled.CompanyID)
	if err != nil {
		t.Fatal(err)
	}
	if view.Name != "Acme Robotics" || view.Source != "email" || view.Status == nil || view.Status.Name != "New" || view.Deck == nil || view.Deck.Title != "lo-basic-12.pdf" {
		t.Errorf("company %+v, status %+v, deck %+v", view.Company, view.Status, view.Deck)
	}
	if !strings.Contains(string(view.Metadata), "zoe@acme.example") || *view.DeckStoragePath != *view.Deck.StoragePath {
		t.Errorf("metadata %s, deck path %v", view.Metadata, *view.DeckStoragePath)
	}
	if got := s.inStorage(t); got["companies"] != 2 || got["incoming"] != 0 || got["emails"] != 2 {
		t.Errorf("in storage: %v", got)
	}
	if s.count(t, "company_files") != 2 || s.count(t, "file_texts") != 1 || s.count(t, "activity") != 1 {
		t.Errorf("%d files, %d texts, %d activities", s.count(t, "company_files"), s.count(t, "file_texts"), s.count(t, "activity"))
	}
}

func TestPictureIsNoDeckOfAnArrival(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.analyzer.findings = s.found()
	for name, tc := range map[string]struct {
		content string
		deck    bool
	}{
		"logo.png": {"\x89PNG\r\n\x1a\n" + strings.Repeat("x", 50), false}, "invite.ics": {"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n", false}, "deck.pdf": {"%PDF-1.4\n", true},
	} {
		s.analyzer.findings.Name, s.analyzer.findings.Founders = name, nil
		settled := s.settle(t, s.owner, s.arrival(s.put(t, name, tc.content)))
		view, err := s.service.GetWithDeck(t.Context(), postgres.AsUser(s.owner), settled.CompanyID)
		if err != nil {
			t.Fatal(err)
		}
		if (view.Deck != nil) != tc.deck || (view.DeckStoragePath != nil) != tc.deck {
			t.Errorf("%s: deck %+v, path %v", name, view.Deck, view.DeckStoragePath)
		}
	}
	if n := s.count(t, "company_files"); n != 3 {
		t.Errorf("%d files, want all three", n)
	}
}

func TestWhatIsThereIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	deck := s.put(t, "lo-basic-12.pdf", "")
	s.analyzer.findings = s.found()
	first := s.settle(t, s.owner, s.arrival(deck))
	s.analyzer.findings = analysis.Findings{Name: "Quite Another", Analyzer: "rules"}
	second := s.settle(t, s.owner, s.arrival(deck, s.put(t, "more.txt", "more")))
	if second.CompanyID != first.CompanyID || second.Created || !strings.Contains(second.Reason, "deck") {
		t.Errorf("second %+v, want %v", second, first.CompanyID)
	}
	if got := s.inStorage(t); got["companies"] != 1 || got["incoming"] != 0 || s.count(t, "companies") != 1 || s.count(t, "company_files") != 1 {
		t.Errorf("in storage %v, %d companies, %d files", got, s.count(t, "companies"), s.count(t, "company_files"))
	}
}

func TestFailureLeavesNothingOfAnArrival(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.analyzer.findings = s.found()
	in := s.arrival(s.put(t, "lo-basic-12.pdf", ""))
	refused := errors.New("refused")
	for name, settle := range map[string]func(*postgres.Tx, func() (company.Settled, error)) error{
		"before": func(*postgres.Tx, func() (company.Settled, error)) error { return refused },
		"after": func(_ *postgres.Tx, settle func() (company.Settled, error)) error {
			_, err := settle()
			return errors.Join(err, refused)
		},
		"unused": func(*postgres.Tx, func() (company.Settled, error)) error { return nil },
	} {
		err := s.creator().Create(t.Context(), s.owner, in, settle)
		if (name == "unused") != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.analyzer.err = errors.New("no analyzer")
	if err := s.creator().Create(t.Context(), s.owner, in, nil); err == nil {
		t.Error("an analysis that fails is no error")
	}
	if got := s.inStorage(t); got["companies"] != 0 || got["incoming"] != 0 || got["emails"] != 1 || s.count(t, "companies") != 0 {
		t.Errorf("in storage %v, %d companies", got, s.count(t, "companies"))
	}
}

func TestFilesThatAreLeftOut(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.analyzer.findings = s.found()
	files := []company.StoredFile{{FileName: "gone.pdf", StoragePath: "emails/gone"}, s.put(t, "empty.txt", ""), s.put(t, "large.bin", strings.Repeat("x", 1<<20+1))}
	for i := range 3 {
		files = append(files, s.put(t, fmt.Sprintf("picture%d.png", i), "\x89PNG\r\n\x1a\n"+strings.Repeat("x", 50)))
	}
	for i := range company.MaxFiles - 1 {
		files = append(files, s.put(t, fmt.Sprintf("note%d.txt", i), "words"))
	}
	settled := s.settle(t, s.owner, s.arrival(files...))
	told := strings.Join(settled.LeftOut, "\n")
	for _, want := range []string{"gone.pdf: it is gone", "empty.txt: it is empty", "large.bin: it is too large", "picture1.png: a company takes 10", "picture2.png: a company"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told: %s", want, told)
		}
	}
	if strings.Contains(told, "note") || strings.Contains(told, "picture0") || s.count(t, "company_files") != company.MaxFiles || s.inStorage(t)["incoming"] != 0 {
		t.Errorf("left out: %s; %d files; %v", told, s.count(t, "company_files"), s.inStorage(t))
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
		"a plain answer":                 {analysis.Findings{Name: company.Untitled}, "Ada@acme.example", true},
		"a colleague's plain answer":     {analysis.Findings{Name: company.Untitled}, "bob@acme.example", true},
		"an introduction":                {analysis.Findings{Name: "Beta"}, "ada@acme.example", false},
		"an introduction with a founder": {analysis.Findings{Name: company.Untitled, Founders: []analysis.Founder{{Email: "zoe@beta.example"}}}, "ada@acme.example", false},
		"a stranger's plain answer":      {analysis.Findings{Name: company.Untitled}, "eve@elsewhere.example", false},
		"a member's note":                {analysis.Findings{Name: company.Untitled}, "member@fund.example", false},
		"nobody":                         {analysis.Findings{Name: company.Untitled}, "", false},
	} {
		s.analyzer.findings = tc.findings
		in := s.arrival()
		in.Sender, in.Text = tc.sender, "Thanks, see you on Tuesday."
		if settled := s.settle(t, s.owner, in); (settled.CompanyID == acme) != tc.same || settled.Created == tc.same {
			t.Errorf("%s: %+v", name, settled)
		}
	}
}

func TestCompaniesOfOthersStayUnknown(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	secret := s.known(t, "Acme Robotics", "zoe@acme.example", "private")
	s.analyzer.findings = s.found()
	if settled := s.settle(t, s.owner, s.arrival()); settled.CompanyID != secret || settled.Public {
		t.Errorf("to its creator: %+v, want the private company, not public", settled)
	}
	if settled := s.settle(t, s.member, s.arrival()); settled.CompanyID == secret || !settled.Created {
		t.Errorf("to a member: %+v", settled)
	}
}

// concurrent lets so many arrivals settle at once, each with findings of its own.
func (s *setup) concurrent(t *testing.T, findings []analysis.Findings) []company.Settled {
	t.Helper()
	settled, errs := make([]company.Settled, len(findings)), make([]error, len(findings))
	var together, all sync.WaitGroup
	together.Add(len(findings))
	for i, f := range findings {
		all.Go(func() {
			deps := s.analyst.AnalystDeps
			deps.Analyzer = &scripted{findings: f}
			creator := company.NewCreator(s.service, company.NewAnalyst(deps), match.New())
			in := s.arrival()
			in.Sender = ""
			errs[i] = creator.Create(t.Context(), s.owner, in, func(_ *postgres.Tx, settle func() (company.Settled, error)) (err error) {
				together.Done()
				together.Wait()
				settled[i], err = settle()
				return err
			})
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return settled
}

func TestTwoAtOnceMakeOneCompany(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	person := func(address string) []analysis.Founder { return []analysis.Founder{{Name: "Zoë", Email: address}} }
	for name, findings := range map[string][]analysis.Findings{
		"one address":      {{Name: "Ca", Founders: person("zoe@gmail.com")}, {Name: "Cb", Founders: person("zoe@gmail.com")}, {Name: "Cc", Founders: person("Zoe@Gmail.com")}},
		"one domain":       {{Name: "Da", Founders: person("a@dd.example")}, {Name: "Db", Founders: person("b@mail.dd.example")}, {Name: "Dc", Founders: person("c@dd.example")}},
		"one name":         {{Name: "Eaglet"}, {Name: "EAGLET Inc."}, {Name: "Eaglet GmbH"}},
		"crosswise chains": {{Name: "Fa", Founders: person("f@ff.example")}, {Name: "fa ltd", Founders: person("g@ff.example")}, {Name: "Fa", Founders: person("f@ff.example")}},
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
	if n := s.count(t, "companies"); n != 4 {
		t.Errorf("%d companies, want 4", n)
	}
}

func TestEarlierEmailsOfAFounderAreLinked(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	mail := func(team uuid.UUID, from string) uuid.UUID {
		id := uuid.New()
		testkit.Exec(t, s.url, "INSERT INTO emails (id, account_id, external_id, from_email) VALUES ($1, $2, $3, $4)", id, team, id.String(), from)
		return id
	}
	his, elsewhere, other := mail(s.team, "Zoe@ACME.example"), mail(s.rival, "zoe@acme.example"), mail(s.team, "bob@acme.example")
	members := mail(s.team, "member@fund.example")
	s.known(t, "Own", "member@fund.example", "team")
	id := s.known(t, "Acme", "", "team")
	if got := testkit.Texts(t, s.url, "SELECT email_id::text FROM email_companies"); len(got) > 0 {
		t.Fatalf("linked before anybody is known: %v", got)
	}
	if _, err := s.service.Update(t.Context(), postgres.AsUser(s.owner), id, company.Change{Metadata: json.RawMessage(`{"founders": [{"email": "zoe@acme.example"}]}`)}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(testkit.Texts(t, s.url, "SELECT email_id::text FROM email_companies WHERE company_id = $1", id), " ")
	if got != his.String() {
		t.Errorf("linked %s; want %v alone, not %v (another team's), %v (another address), %v (a member's)", got, his, elsewhere, other, members)
	}
}

// known makes a company of the owner's with a founder of this address, if any.
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
	made, err := s.service.Create(t.Context(), postgres.AsUser(s.owner), company.NewCompany{
		AccountID: s.team, Change: company.Change{Name: &name, Visibility: &visibility, Metadata: metadata},
	})
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}
