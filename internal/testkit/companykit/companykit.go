// Package companykit has helpers for tests of companies: a team with its statuses, the services for companies, and a
// queue whose work the test does itself, in place of a worker.
package companykit

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/blob"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/attachment"
	"dealflow/internal/company/upload"
	"dealflow/internal/pdftext"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
	"dealflow/internal/work"
)

// QueueRecorder is a queue that records in Refs what was queued. No worker takes work from it. Enqueue is safe for
// concurrent use; Refs must be read only while no call of Enqueue runs.
type QueueRecorder struct {
	mu   sync.Mutex
	Refs []work.Ref
}

// Enqueue implements work.Queue.
func (q *QueueRecorder) Enqueue(_ context.Context, ref work.Ref, _ time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.Refs = append(q.Refs, ref)
	return nil
}

// Scripted is an analyzer that returns Findings and Err, and records its inputs in Asked. If During is not nil, Analyze
// calls it first. It is not safe for concurrent use.
type Scripted struct {
	Findings analysis.Findings
	Err      error
	Asked    []analysis.Input
	During   func()
}

// Analyze implements analysis.Analyzer.
func (s *Scripted) Analyze(_ context.Context, in analysis.Input) (analysis.Findings, error) {
	s.Asked = append(s.Asked, in)
	if s.During != nil {
		s.During()
	}
	return s.Findings, s.Err
}

// builtIn returns the rules that all tests of a process share, since loading them takes a tenth of a second, and ten
// times that with the race detector. They must not be changed.
//
//nolint:gochecknoglobals // made once
var builtIn = sync.OnceValue(func() *rules.Rules { return rules.New(links.DefaultDeckClasses()) })

// Services are the services for companies that Wire returns.
type Services struct {
	Uploads     *upload.Store
	Service     *company.Service
	Creations   *aicreation.Service
	Attachments *attachment.Service
}

// Wire returns the services for companies, with the built-in rules. A file may have at most maxFileSize bytes. Nothing
// must be closed but db and blobs, by the caller.
func Wire(db *postgres.DB, blobs *blob.Store, rows *work.Store, maxFileSize int64, log *slog.Logger) (s Services) {
	s.Uploads = upload.New(upload.Options{DB: db, Blobs: blobs, MaxFileSize: maxFileSize, Logger: log})
	s.Service = company.New(company.Deps{DB: db, Blobs: blobs, Uploads: s.Uploads, Work: rows})
	s.Creations = aicreation.New(aicreation.Deps{
		DB: db, Companies: s.Service, Uploads: s.Uploads, Work: rows, Rules: builtIn(),
	})
	s.Attachments = attachment.New(db, s.Service, s.Uploads, rows)
	return s
}

// Setup has a database, services and users for a test of companies. Statuses has the ids of the team's stages by their
// names.
type Setup struct {
	URL      string
	DB       *postgres.DB
	Folder   string // where files are stored
	Queue    *QueueRecorder
	Work     *work.Store
	Accounts *account.Service
	Services
	Analyzer *Scripted
	Analyst  *analyst.Analyst
	Deps     analyst.Deps // of the analyst

	Owner, Member, Stranger uuid.UUID
	Team, Rival             uuid.UUID
	Statuses                map[string]uuid.UUID
}

// New returns a Setup in a database that no other test uses: a team with an owner, a member and the default stages, a
// rival team of a stranger, and the services for companies. The test ends if one of these cannot be created.
func New(t *testing.T) *Setup {
	t.Helper()
	url := testkit.DatabaseURL(t)
	return NewAt(t, url, url)
}

// NewAt returns a Setup as New does, in the database at url, which must be from DatabaseURL. The services reach the
// database by the URL through, which may be that of a proxy.
func NewAt(t *testing.T, url, through string) *Setup {
	t.Helper()
	s := &Setup{
		URL: url, Folder: t.TempDir(), Queue: &QueueRecorder{}, Analyzer: &Scripted{}, Statuses: map[string]uuid.UUID{},
	}
	s.DB = testkit.Open(t, through)
	s.people(t)
	s.services(t)
	return s
}

func (s *Setup) people(t *testing.T) {
	t.Helper()
	s.Accounts = account.New(s.DB)
	for email, id := range map[string]*uuid.UUID{
		"owner@fund.example": &s.Owner, "member@fund.example": &s.Member,
		"eve@rival.example": &s.Stranger,
	} {
		user, err := signin.New(s.DB).CreateUser(t.Context(), email, email, "")
		if err != nil {
			t.Fatal(err)
		}
		*id = user.ID
	}
	for owner, id := range map[uuid.UUID]*uuid.UUID{s.Owner: &s.Team, s.Stranger: &s.Rival} {
		team, err := s.Accounts.Create(t.Context(), owner, "Team", pipeline.Seed)
		if err != nil {
			t.Fatal(err)
		}
		*id = team.ID
	}
	if _, err := s.Accounts.AddMember(t.Context(), s.Team, s.Member, account.RoleMember); err != nil {
		t.Fatal(err)
	}
	statuses, _, err := pipeline.New(s.DB).List(t.Context(), postgres.AsUser(s.Owner), s.Team, paging.First(100))
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range statuses {
		s.Statuses[status.Name] = status.ID
	}
}

func (s *Setup) services(t *testing.T) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	blobs, err := blob.Open(t.Context(), "file://"+s.Folder)
	if err != nil {
		t.Fatal(err)
	}
	s.Work = work.NewStore(s.DB, s.Queue, log)
	s.Services = Wire(s.DB, blobs, s.Work, 1<<20, log)
	t.Cleanup(func() { _ = blobs.Close() })
	s.Deps = analyst.Deps{
		DB: s.DB, Blobs: blobs, Work: s.Work, Reader: reader(), Analyzer: s.Analyzer, Now: time.Now, Logger: log,
	}
	s.Analyst = analyst.New(s.Deps)
}

// reader returns the PDF reader that the tests of a process share. Its child processes end with the process.
//
//nolint:gochecknoglobals // a child for each test takes longer to start than most tests
var reader = sync.OnceValue(func() *pdftext.Pool {
	return pdftext.NewPool(pdftext.Options{Children: 2, CacheDir: testkit.PDFCache()})
})

// Upload stores files and adds them to a draft. A file whose name ends in .pdf has the content of the file of this name
// in the folder Decks, any other a short text. The test ends if a file cannot be stored.
func (s *Setup) Upload(t *testing.T, d *aicreation.Draft, names ...string) {
	t.Helper()
	for i, name := range names {
		var content *os.File
		var reader interface{ Read([]byte) (int, error) } = strings.NewReader("plain words in " + name)
		if strings.HasSuffix(name, ".pdf") {
			var err error
			if content, err = os.Open(filepath.Join(Decks(), name)); err != nil { //nolint:gosec // G304: a test names it
				t.Fatal(err)
			}
			defer content.Close()
			reader = content
		}
		up, err := s.Uploads.Receive(t.Context(), d.CompanyID, i, "folder/"+name, reader)
		if err != nil {
			t.Fatalf("receive %s: %v", name, err)
		}
		d.Files = append(d.Files, up)
	}
}

// Draft returns a draft of a company of the team with this text. Nothing is stored.
func (s *Setup) Draft(text string) aicreation.Draft {
	return aicreation.Draft{CompanyID: uuid.New(), WorkID: uuid.New(), AccountID: s.Team, Text: text, RequestID: "r"}
}

// Attach attaches a file to the company with this id as the user, and returns the result of attachment.Service.Attach.
// The name decides the content, as in Upload. If fill is not nil, it is called with the draft before, and may change
// it. The test ends if the file cannot be stored.
func (s *Setup) Attach(
	t *testing.T, user, id uuid.UUID, name string, fill func(*attachment.Draft),
) (company.File, error) {
	t.Helper()
	d := aicreation.Draft{CompanyID: id}
	s.Upload(t, &d, name)
	in := attachment.Draft{CompanyID: id, Upload: &d.Files[0]}
	if fill != nil {
		fill(&in)
	}
	return s.Attachments.Attach(t.Context(), user, in)
}

// Pitch creates a company from a draft, as the owner, and returns the draft. The analysis is queued, not done; see
// Analyse. The test ends if the company cannot be created.
func (s *Setup) Pitch(t *testing.T, d aicreation.Draft) aicreation.Draft {
	t.Helper()
	if err := s.Creations.Create(t.Context(), s.Owner, d); err != nil {
		t.Fatalf("intake: %v", err)
	}
	return d
}

// Analyse does the work that was queued last, which must be an analysis, and returns the error of the analysis. The
// test ends if the work cannot be claimed. Analyse panics if no work was queued.
func (s *Setup) Analyse(t *testing.T) error {
	t.Helper()
	item, err := s.Work.Claim(t.Context(), s.Queue.Refs[len(s.Queue.Refs)-1], time.Minute)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	return s.Analyst.Analyse(t.Context(), item)
}

// Created returns the company that was created from a draft, as the owner sees it. The test ends if that fails.
func (s *Setup) Created(t *testing.T, d aicreation.Draft) aicreation.Created {
	t.Helper()
	out, err := s.Creations.Created(t.Context(), s.Owner, d)
	if err != nil {
		t.Fatalf("outcome: %v", err)
	}
	return out
}

// Stored returns, sorted, the first folder of each file in storage: "incoming" or "companies".
func (s *Setup) Stored(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(s.Folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			relative, _ := filepath.Rel(s.Folder, path)
			found = append(found, strings.Split(filepath.ToSlash(relative), "/")[0])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return found
}

// Count returns the number of all rows of a table, whoever may see them.
func (s *Setup) Count(t *testing.T, table string) int {
	t.Helper()
	return testkit.Count(t, s.URL, table)
}

// Long is a text that is long enough for the rules to decide on a status and a source.
const Long = "Dear team, we are building something remarkable and would love to tell you about it."

// Claim claims the work that was queued last, with a lease of a minute, and returns its item. The test ends if the work
// cannot be claimed. Claim panics if no work was queued.
func (s *Setup) Claim(t *testing.T) work.Item {
	t.Helper()
	item, err := s.Work.Claim(t.Context(), s.Queue.Refs[len(s.Queue.Refs)-1], time.Minute)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	return item
}

// Create creates a company of the team with this name, as the owner, and returns its id. If fill is not nil, it is
// called with the company before, and may change it. The test ends if the company cannot be created.
func (s *Setup) Create(t *testing.T, name string, fill func(*company.NewCompany)) uuid.UUID {
	t.Helper()
	in := company.NewCompany{AccountID: s.Team, Change: company.Change{Name: &name}}
	if fill != nil {
		fill(&in)
	}
	made, err := s.Service.Create(t.Context(), postgres.AsUser(s.Owner), in)
	if err != nil {
		t.Fatalf("create %s: %v", name, err)
	}
	return made.ID
}

// Found returns findings about a company, with the team's status New, for Scripted.Findings.
func (s *Setup) Found() analysis.Findings {
	return analysis.Findings{
		Name: "Acme Robotics", Founders: []analysis.Founder{{Name: "Zoë Lang", Email: "zoe@acme.example"}},
		Summary:  "Builds robots.",
		StatusID: s.Statuses["New"].String(), StatusReasoning: "A first contact.", Source: "email",
		SourceReasoning: "A founder's own mail.", Analyzer: "rules",
	}
}

// Decks returns the path, relative to the working folder, of the folder of the PDFs that are test data of package
// pdftext. The working folder must be in the module.
func Decks() string {
	root := "."
	for !exists(filepath.Join(root, "go.mod")) && len(root) < 100 {
		root = filepath.Join("..", root)
	}
	return filepath.Join(root, "internal", "pdftext", "testdata", "decks")
}

// exists reports whether there is a file or folder at this path.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
