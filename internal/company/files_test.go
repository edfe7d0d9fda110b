package company_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
	"dealflow/internal/work"
)

// attach attaches a file whose name tells its content, as upload does.
func (s *setup) attach(
	t *testing.T, user, id uuid.UUID, name string, fill func(*company.NewAttachment),
) (company.File, error) {
	t.Helper()
	d := company.Draft{CompanyID: id}
	s.Upload(t, &d, name)
	in := company.NewAttachment{CompanyID: id, Upload: &d.Files[0]}
	if fill != nil {
		fill(&in)
	}
	return s.Service.Attach(t.Context(), user, in)
}

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
	if _, err := s.Service.Created(t.Context(), s.Owner, d); !fault.Is(err, fault.NotFound) {
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
		if err := s.Service.Detach(t.Context(), s.Owner, d.CompanyID, d.Files[0].ID); err != nil {
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

func TestAttachedFilesAndLinks(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "deck.txt")
	s.Pitch(t, d)
	plain, err := s.attach(t, s.Member, d.CompanyID, "model.txt", nil)
	if err != nil || plain.Title != "model.txt" || *plain.OriginalFilename != "model.txt" ||
		plain.Role != company.RoleAttachment || plain.AttachmentType != company.TypeFile ||
		plain.AccountID != s.Team || *plain.MediaType != "text/plain" || *plain.SizeBytes == 0 || plain.CreatedAt.IsZero() {
		t.Errorf("attached %+v, %v", plain, err)
	}
	described, err := s.attach(t, s.Owner, d.CompanyID, "b.txt", func(in *company.NewAttachment) {
		in.Title, in.Description, in.AccountID = new(" Cap table "), new("as of May"), &s.Team
	})
	if err != nil || described.Title != "Cap table" || *described.Description != "as of May" {
		t.Errorf("attached %+v, %v", described, err)
	}
	link, err := s.Service.Attach(t.Context(), s.Owner,
		company.NewAttachment{CompanyID: d.CompanyID, LinkURL: "https://room.example/42"})
	if err != nil || link.AttachmentType != company.TypeLink || link.Title != "https://room.example/42" ||
		link.StoragePath != nil || *link.LinkURL != link.Title {
		t.Errorf("attached %+v, %v", link, err)
	}
	files, _, err := s.Service.Attachments(t.Context(), postgres.AsUser(s.Member), d.CompanyID, postgres.FirstPage(100))
	if err != nil || len(files) != 3 || files[0].ID != plain.ID || files[1].ID != described.ID || files[2].ID != link.ID {
		t.Errorf("listed %+v, %v", files, err)
	}
	if got := s.Stored(t); !slices.Equal(got, []string{"companies", "companies", "companies"}) {
		t.Errorf("storage holds %v", got)
	}
	for _, id := range []uuid.UUID{plain.ID, link.ID} {
		if err := s.Service.Detach(t.Context(), s.Member, d.CompanyID, id); err != nil {
			t.Errorf("detach: %v", err)
		}
		if _, err := s.Service.Attachment(t.Context(), postgres.AsUser(s.Owner), d.CompanyID, id); !fault.Is(err,
			fault.NotFound) {
			t.Errorf("detached, it is still there: %v", err)
		}
	}
	if got := s.Stored(t); len(got) != 2 {
		t.Errorf("storage holds %v", got)
	}
}

func TestAttachRefusalsLeaveNothing(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", nil)
	hidden := s.Create(t, "Hidden", func(in *company.NewCompany) { in.Visibility = new("private") })
	other, err := s.Accounts.Create(t.Context(), s.Owner, "Second", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		user, id uuid.UUID
		fill     func(*company.NewAttachment)
		want     fault.Kind
		field    string
	}{
		"empty title": {
			s.Owner, id, func(in *company.NewAttachment) { in.Title = new("") }, fault.InvalidBody, "title",
		},
		"blank title": {
			s.Owner, id, func(in *company.NewAttachment) { in.Title = new(" ") }, fault.InvalidBody, "title",
		},
		"long title": {
			s.Owner, id, func(in *company.NewAttachment) {
				in.Title = new(strings.Repeat("é", 256))
			}, fault.InvalidBody, "title",
		},
		"file and link": {
			s.Owner, id, func(in *company.NewAttachment) { in.LinkURL = "https://a.example" }, fault.InvalidBody, "file",
		},
		"another account": {
			s.Owner, id, func(in *company.NewAttachment) { in.AccountID = &other.ID }, fault.InvalidBody, "account_id",
		},
		"another's account": {s.Owner, id, func(in *company.NewAttachment) { in.AccountID = &s.Rival }, fault.Forbidden, ""},
		"no such account": {
			s.Owner, id, func(in *company.NewAttachment) { in.AccountID = new(uuid.New()) }, fault.NotFound, "",
		},
		"no such company": {s.Owner, uuid.New(), nil, fault.NotFound, ""},
		"hidden":          {s.Member, hidden, nil, fault.NotFound, ""},
		"stranger":        {s.Stranger, id, nil, fault.Forbidden, ""},
	} {
		_, err := s.attach(t, tc.user, tc.id, "a.txt", tc.fill)
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Kind != tc.want || tc.field != "" && refusal.Details[0].Field != tc.field {
			t.Errorf("%s: %v, want kind %d for %q", name, err, tc.want, tc.field)
		}
	}
	for name, in := range map[string]company.NewAttachment{
		"nothing": {CompanyID: id}, "no link": {CompanyID: id, LinkURL: "ftp://a.example"},
		"script": {CompanyID: id, LinkURL: "javascript:1"},
	} {
		if _, err := s.Service.Attach(t.Context(), s.Owner, in); !fault.Is(err, fault.InvalidBody) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := s.Count(t, "company_files"); n != 0 || len(s.Stored(t)) != 0 {
		t.Errorf("%d rows are left, storage holds %v", n, s.Stored(t))
	}
	if _, err := s.Service.ReceiveAttachment(t.Context(), id, "a.txt", strings.NewReader("")); err == nil ||
		!strings.Contains(err.Error(), "file: is empty") {
		t.Errorf("an empty file: %v", err)
	}
}

func TestWordsOfAnAttachedPDFAreFound(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", nil)
	file, err := s.attach(t, s.Owner, id, "rl-helv-12.pdf", nil)
	if err != nil {
		t.Fatal(err)
	}
	item := s.Claim(t)
	if item.Kind != company.WorkRead {
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
	if err := s.Service.Detach(t.Context(), s.Owner, id, file.ID); err != nil {
		t.Fatal(err)
	}
	if s.finds(t, words) {
		t.Errorf("%q is found in what was detached", words)
	}
}

func TestAnAttachmentThatWentBeforeItWasRead(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", nil)
	file, err := s.attach(t, s.Owner, id, "rl-helv-12.pdf", nil)
	if err != nil {
		t.Fatal(err)
	}
	item := s.Claim(t)
	if err := s.Service.Detach(t.Context(), s.Owner, id, file.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Analyst.Read(t.Context(), item); err != nil {
		t.Errorf("reading what went: %v", err)
	}
}
