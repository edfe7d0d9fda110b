package company_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
	"dealflow/internal/work"
)

func TestDeleteRemovesAllThatHangsOnACompany(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "lo-basic-12.pdf", "b.txt")
	s.Pitch(t, d)
	s.Analyzer.Findings = s.Found()
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Service.Update(t.Context(), postgres.AsUser(s.Owner), d.CompanyID,
		company.Change{Assignees: &[]uuid.UUID{s.Member}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Service.Share(t.Context(), s.Owner, d.CompanyID, s.Member); err != nil {
		t.Fatal(err)
	}
	kept := s.Create(t, "Kept", nil)
	if err := s.Service.Delete(t.Context(), s.Member, d.CompanyID); err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string]int{
		"companies": 1, "company_files": 0, "file_texts": 0, "company_assignees": 0, "company_shares": 0, "activity": 2,
	} {
		if n := s.Count(t, table); n != want {
			t.Errorf("%d rows in %s, want %d", n, table, want)
		}
	}
	if told := testkit.Texts(t, s.URL,
		"SELECT type || ': ' || description FROM activity WHERE company_id IS NULL"); !slices.Equal(told,
		[]string{"company_deleted: Company Acme Robotics was deleted"}) {
		t.Errorf("the activity is %q", told)
	}
	if got := s.Stored(t); len(got) != 0 {
		t.Errorf("storage holds %v", got)
	}
	if _, err := s.Service.Get(t.Context(), postgres.AsUser(s.Owner), d.CompanyID); !fault.Is(err, fault.NotFound) {
		t.Errorf("it can still be read: %v", err)
	}
	if _, err := s.Service.Get(t.Context(), postgres.AsUser(s.Owner), kept); err != nil {
		t.Errorf("another company went with it: %v", err)
	}
}

func TestNobodyIsToldTheNameOfAHiddenCompanyThatIsDeleted(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for _, visibility := range []string{company.VisibilityPrivate, company.VisibilityShared} {
		id := s.Create(t, "Secret", func(n *company.NewCompany) { n.Visibility = &visibility })
		if err := s.Service.Delete(t.Context(), s.Owner, id); err != nil {
			t.Fatal(err)
		}
	}
	if told := testkit.Texts(t, s.URL, "SELECT type || ': ' || description FROM activity"); !slices.Equal(told,
		[]string{"company_deleted: A company was deleted", "company_deleted: A company was deleted"}) {
		t.Errorf("the activity is %q", told)
	}
}

func TestDeleteRefusals(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", nil)
	hidden := s.Create(t, "Hidden", func(in *company.NewCompany) { in.Visibility = new("private") })
	for name, tc := range map[string]struct {
		user, id uuid.UUID
		want     fault.Kind
	}{"stranger": {s.Stranger, id, fault.Forbidden}, "hidden": {s.Member, hidden, fault.NotFound}, "no such": {
		s.Owner, uuid.New(), fault.NotFound,
	}} {
		if err := s.Service.Delete(t.Context(), tc.user, tc.id); !fault.Is(err, tc.want) {
			t.Errorf("%s: %v, want kind %d", name, err, tc.want)
		}
	}
	if n := s.Count(t, "companies"); n != 2 {
		t.Errorf("%d companies are left", n)
	}
}

// A process that ends between the commit and the removal leaves a work row, by which a worker removes the files.
func TestFilesOfTheDeletedAreRemovedAfterACrash(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "a.txt")
	s.Pitch(t, d)
	path := filepath.Join(s.Folder, filepath.FromSlash("companies/"+d.CompanyID.String()+"/"+d.Files[0].ID.String()))
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Service.Delete(t.Context(), s.Owner, d.CompanyID); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil { // as if it had not come to the removal
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	item := s.Claim(t)
	if item.Kind != company.WorkPurge {
		t.Fatalf("the queue was told of %s last", item.Kind)
	}
	if err := s.Service.Purge(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	if got := s.Stored(t); len(got) != 0 {
		t.Errorf("storage holds %v", got)
	}
	if states := testkit.Texts(t, s.URL, "SELECT state FROM work WHERE kind = 'company.purge'"); !slices.Equal(states,
		[]string{work.Done}) {
		t.Errorf("the work is %v", states)
	}
}

func TestACompanyDeletedDuringItsAnalysis(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "lo-basic-12.pdf")
	s.Pitch(t, d)
	s.Analyzer.Findings = s.Found()
	item := s.Claim(t)
	s.Analyzer.During = func() {
		if err := s.Service.Delete(t.Context(), s.Owner, d.CompanyID); err != nil {
			t.Error(err)
		}
	}
	if err := s.Analyst.Analyse(t.Context(), item); err != nil {
		t.Errorf("the analysis failed: %v", err)
	}
	if _, err := s.Creations.Created(t.Context(), s.Owner, d); !fault.Is(err, fault.NotFound) {
		t.Errorf("who waits is told %v, want NotFound", err)
	}
	if n := s.Count(t, "companies") + s.Count(t, "file_texts"); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

func TestAFileDeletedDuringTheAnalysis(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "lo-basic-12.pdf", "rl-helv-12.pdf")
	s.Pitch(t, d)
	s.Analyzer.Findings = s.Found()
	s.Analyzer.Findings.DeckDocumentID = d.Files[0].ID.String()
	s.Analyzer.During = func() {
		if err := s.Attachments.Detach(t.Context(), s.Owner, d.CompanyID, d.Files[0].ID); err != nil {
			t.Error(err)
		}
	}
	item := s.Claim(t)
	if err := s.Analyst.Analyse(t.Context(), item); err != nil {
		t.Fatalf("the analysis failed: %v", err)
	}
	out := s.Created(t, d)
	if out.Company.Deck != nil || out.Company.DeckStoragePath != nil || len(out.Attachments) != 1 ||
		out.Company.Name != "Acme Robotics" {
		t.Errorf("deck %v at %v, attachments %d", out.Company.Deck, out.Company.DeckStoragePath, len(out.Attachments))
	}
}
