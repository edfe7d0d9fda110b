package company_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// attach attaches a file whose name tells its content, as upload does.
func (s *setup) attach(t *testing.T, user, id uuid.UUID, name string, fill func(*company.NewAttachment)) (company.File, error) {
	t.Helper()
	d := company.Draft{CompanyID: id}
	s.upload(t, &d, name)
	in := company.NewAttachment{CompanyID: id, Upload: &d.Files[0]}
	if fill != nil {
		fill(&in)
	}
	return s.service.Attach(t.Context(), user, in)
}

// claim takes the work that was told last.
func (s *setup) claim(t *testing.T) work.Item {
	t.Helper()
	item, err := s.work.Claim(t.Context(), s.queue.refs[len(s.queue.refs)-1], time.Minute)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	return item
}

func TestDeleteRemovesAllThatHangsOnACompany(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.draft(long)
	s.upload(t, &d, "lo-basic-12.pdf", "b.txt")
	s.intake(t, d)
	s.analyzer.findings = s.found()
	if err := s.analyse(t); err != nil {
		t.Fatal(err)
	}
	if _, err := s.service.Update(t.Context(), postgres.AsUser(s.owner), d.CompanyID, company.Change{Assignees: &[]uuid.UUID{s.member}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.service.Share(t.Context(), s.owner, d.CompanyID, s.member); err != nil {
		t.Fatal(err)
	}
	kept := s.create(t, "Kept", nil)
	if err := s.service.Delete(t.Context(), s.member, d.CompanyID); err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string]int{"companies": 1, "company_files": 0, "file_texts": 0, "company_assignees": 0, "company_shares": 0, "activity": 2} {
		if n := s.count(t, table); n != want {
			t.Errorf("%d rows in %s, want %d", n, table, want)
		}
	}
	if told := s.texts(t, "SELECT type || ': ' || description FROM activity WHERE company_id IS NULL"); !slices.Equal(told, []string{"company_deleted: Company Acme Robotics was deleted"}) {
		t.Errorf("the activity is %q", told)
	}
	if got := s.stored(t); len(got) != 0 {
		t.Errorf("storage holds %v", got)
	}
	if _, err := s.service.Get(t.Context(), postgres.AsUser(s.owner), d.CompanyID); !fault.Is(err, fault.NotFound) {
		t.Errorf("it can still be read: %v", err)
	}
	if _, err := s.service.Get(t.Context(), postgres.AsUser(s.owner), kept); err != nil {
		t.Errorf("another company went with it: %v", err)
	}
}

func TestNobodyIsToldTheNameOfAHiddenCompanyThatIsDeleted(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for _, visibility := range []string{company.VisibilityPrivate, company.VisibilityShared} {
		id := s.create(t, "Secret", func(n *company.NewCompany) { n.Visibility = &visibility })
		if err := s.service.Delete(t.Context(), s.owner, id); err != nil {
			t.Fatal(err)
		}
	}
	if told := s.texts(t, "SELECT type || ': ' || description FROM activity"); !slices.Equal(told, []string{"company_deleted: A company was deleted", "company_deleted: A company was deleted"}) {
		t.Errorf("the activity is %q", told)
	}
}

func TestDeleteRefusals(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.create(t, "Kestrel", nil)
	hidden := s.create(t, "Hidden", func(in *company.NewCompany) { in.Visibility = new("private") })
	for name, tc := range map[string]struct {
		user, id uuid.UUID
		want     fault.Kind
	}{"stranger": {s.stranger, id, fault.Forbidden}, "hidden": {s.member, hidden, fault.NotFound}, "no such": {s.owner, uuid.New(), fault.NotFound}} {
		if err := s.service.Delete(t.Context(), tc.user, tc.id); !fault.Is(err, tc.want) {
			t.Errorf("%s: %v, want kind %d", name, err, tc.want)
		}
	}
	if n := s.count(t, "companies"); n != 2 {
		t.Errorf("%d companies are left", n)
	}
}

// A process that ends between the commit and the removal leaves a work row, by which a worker removes the files.
func TestFilesOfTheDeletedAreRemovedAfterACrash(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.draft(long)
	s.upload(t, &d, "a.txt")
	s.intake(t, d)
	path := filepath.Join(s.folder, filepath.FromSlash("companies/"+d.CompanyID.String()+"/"+d.Files[0].ID.String()))
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.service.Delete(t.Context(), s.owner, d.CompanyID); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil { // as if it had not come to the removal
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	item := s.claim(t)
	if item.Kind != company.WorkPurge {
		t.Fatalf("the queue was told of %s last", item.Kind)
	}
	if err := s.analyst.Purge(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	if got := s.stored(t); len(got) != 0 {
		t.Errorf("storage holds %v", got)
	}
	if states := s.texts(t, "SELECT state FROM work WHERE kind = 'company.purge'"); !slices.Equal(states, []string{work.Done}) {
		t.Errorf("the work is %v", states)
	}
}

func TestACompanyDeletedDuringItsAnalysis(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.draft(long)
	s.upload(t, &d, "lo-basic-12.pdf")
	s.intake(t, d)
	s.analyzer.findings = s.found()
	item := s.claim(t)
	s.analyzer.during = func() {
		if err := s.service.Delete(t.Context(), s.owner, d.CompanyID); err != nil {
			t.Error(err)
		}
	}
	if err := s.analyst.Analyse(t.Context(), item); err != nil {
		t.Errorf("the analysis failed: %v", err)
	}
	if _, err := s.service.Outcome(t.Context(), s.owner, d); !fault.Is(err, fault.NotFound) {
		t.Errorf("who waits is told %v, want NotFound", err)
	}
	if n := s.count(t, "companies") + s.count(t, "file_texts"); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

func TestAFileDeletedDuringTheAnalysis(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.draft(long)
	s.upload(t, &d, "lo-basic-12.pdf", "rl-helv-12.pdf")
	s.intake(t, d)
	s.analyzer.findings = s.found()
	s.analyzer.findings.DeckDocumentID = d.Files[0].ID.String()
	s.analyzer.during = func() {
		if err := s.service.Detach(t.Context(), s.owner, d.CompanyID, d.Files[0].ID); err != nil {
			t.Error(err)
		}
	}
	item := s.claim(t)
	if err := s.analyst.Analyse(t.Context(), item); err != nil {
		t.Fatalf("the analysis failed: %v", err)
	}
	out := s.outcome(t, d)
	if out.Company.Deck != nil || out.Company.DeckStoragePath != nil || len(out.Attachments) != 1 || out.Company.Name != "Acme Robotics" {
		t.Errorf("deck %v at %v, attachments %d", out.Company.Deck, out.Company.DeckStoragePath, len(out.Attachments))
	}
}

func TestAttachedFilesAndLinks(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.draft(long)
	s.upload(t, &d, "deck.txt")
	s.intake(t, d)
	plain, err := s.attach(t, s.member, d.CompanyID, "model.txt", nil)
	if err != nil || plain.Title != "model.txt" || *plain.OriginalFilename != "model.txt" || plain.Role != company.RoleAttachment || plain.AttachmentType != company.TypeFile ||
		plain.AccountID != s.team || *plain.MediaType != "text/plain" || *plain.SizeBytes == 0 || plain.CreatedAt.IsZero() {
		t.Errorf("attached %+v, %v", plain, err)
	}
	described, err := s.attach(t, s.owner, d.CompanyID, "b.txt", func(in *company.NewAttachment) {
		in.Title, in.Description, in.AccountID = new(" Cap table "), new("as of May"), &s.team
	})
	if err != nil || described.Title != "Cap table" || *described.Description != "as of May" {
		t.Errorf("attached %+v, %v", described, err)
	}
	link, err := s.service.Attach(t.Context(), s.owner, company.NewAttachment{CompanyID: d.CompanyID, LinkURL: "https://room.example/42"})
	if err != nil || link.AttachmentType != company.TypeLink || link.Title != "https://room.example/42" || link.StoragePath != nil || *link.LinkURL != link.Title {
		t.Errorf("attached %+v, %v", link, err)
	}
	files, _, err := s.service.Attachments(t.Context(), postgres.AsUser(s.member), d.CompanyID, postgres.FirstPage(100))
	if err != nil || len(files) != 3 || files[0].ID != plain.ID || files[1].ID != described.ID || files[2].ID != link.ID {
		t.Errorf("listed %+v, %v", files, err)
	}
	if got := s.stored(t); !slices.Equal(got, []string{"companies", "companies", "companies"}) {
		t.Errorf("storage holds %v", got)
	}
	for _, id := range []uuid.UUID{plain.ID, link.ID} {
		if err := s.service.Detach(t.Context(), s.member, d.CompanyID, id); err != nil {
			t.Errorf("detach: %v", err)
		}
		if _, err := s.service.Attachment(t.Context(), postgres.AsUser(s.owner), d.CompanyID, id); !fault.Is(err, fault.NotFound) {
			t.Errorf("detached, it is still there: %v", err)
		}
	}
	if got := s.stored(t); len(got) != 2 {
		t.Errorf("storage holds %v", got)
	}
}

func TestAttachRefusalsLeaveNothing(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.create(t, "Kestrel", nil)
	hidden := s.create(t, "Hidden", func(in *company.NewCompany) { in.Visibility = new("private") })
	other, err := s.accounts.Create(t.Context(), s.owner, "Second", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		user, id uuid.UUID
		fill     func(*company.NewAttachment)
		want     fault.Kind
		field    string
	}{
		"empty title":       {s.owner, id, func(in *company.NewAttachment) { in.Title = new("") }, fault.InvalidBody, "title"},
		"blank title":       {s.owner, id, func(in *company.NewAttachment) { in.Title = new(" ") }, fault.InvalidBody, "title"},
		"long title":        {s.owner, id, func(in *company.NewAttachment) { in.Title = new(strings.Repeat("é", 256)) }, fault.InvalidBody, "title"},
		"file and link":     {s.owner, id, func(in *company.NewAttachment) { in.LinkURL = "https://a.example" }, fault.InvalidBody, "file"},
		"another account":   {s.owner, id, func(in *company.NewAttachment) { in.AccountID = &other.ID }, fault.InvalidBody, "account_id"},
		"another's account": {s.owner, id, func(in *company.NewAttachment) { in.AccountID = &s.rival }, fault.Forbidden, ""},
		"no such account":   {s.owner, id, func(in *company.NewAttachment) { in.AccountID = new(uuid.New()) }, fault.NotFound, ""},
		"no such company":   {s.owner, uuid.New(), nil, fault.NotFound, ""},
		"hidden":            {s.member, hidden, nil, fault.NotFound, ""},
		"stranger":          {s.stranger, id, nil, fault.Forbidden, ""},
	} {
		_, err := s.attach(t, tc.user, tc.id, "a.txt", tc.fill)
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Kind != tc.want || tc.field != "" && refusal.Details[0].Field != tc.field {
			t.Errorf("%s: %v, want kind %d for %q", name, err, tc.want, tc.field)
		}
	}
	for name, in := range map[string]company.NewAttachment{"nothing": {CompanyID: id}, "no link": {CompanyID: id, LinkURL: "ftp://a.example"}, "script": {CompanyID: id, LinkURL: "javascript:1"}} {
		if _, err := s.service.Attach(t.Context(), s.owner, in); !fault.Is(err, fault.InvalidBody) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := s.count(t, "company_files"); n != 0 || len(s.stored(t)) != 0 {
		t.Errorf("%d rows are left, storage holds %v", n, s.stored(t))
	}
	if _, err := s.service.ReceiveAttachment(t.Context(), id, "a.txt", strings.NewReader("")); err == nil || !strings.Contains(err.Error(), "file: is empty") {
		t.Errorf("an empty file: %v", err)
	}
}

func TestWordsOfAnAttachedPDFAreFound(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.create(t, "Kestrel", nil)
	file, err := s.attach(t, s.owner, id, "rl-helv-12.pdf", nil)
	if err != nil {
		t.Fatal(err)
	}
	item := s.claim(t)
	if item.Kind != company.WorkRead {
		t.Fatalf("the queue was told of %s last", item.Kind)
	}
	if err := s.analyst.Read(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	pages := s.texts(t, "SELECT jsonb_array_elements_text(pages) FROM file_texts")
	words := s.wordsOf(t, pages)
	if !s.finds(t, words+" kestrel") {
		t.Errorf("%q is not found", words)
	}
	if err := s.service.Detach(t.Context(), s.owner, id, file.ID); err != nil {
		t.Fatal(err)
	}
	if s.finds(t, words) {
		t.Errorf("%q is found in what was detached", words)
	}
}

func TestAnAttachmentThatWentBeforeItWasRead(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.create(t, "Kestrel", nil)
	file, err := s.attach(t, s.owner, id, "rl-helv-12.pdf", nil)
	if err != nil {
		t.Fatal(err)
	}
	item := s.claim(t)
	if err := s.service.Detach(t.Context(), s.owner, id, file.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.analyst.Read(t.Context(), item); err != nil {
		t.Errorf("reading what went: %v", err)
	}
}
