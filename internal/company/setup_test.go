package company_test

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
	"dealflow/internal/analysis"
	"dealflow/internal/blob"
	"dealflow/internal/company"
	"dealflow/internal/pdftext"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/work"
)

func TestMain(m *testing.M) {
	if pdftext.IsChild() {
		os.Exit(pdftext.RunChild())
	}
	os.Exit(m.Run())
}

// told is a queue that remembers what it was told.
type told struct {
	mu   sync.Mutex
	refs []work.Ref
}

func (q *told) Enqueue(_ context.Context, ref work.Ref, _ time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refs = append(q.refs, ref)
	return nil
}

// scripted is an analyzer that finds what the test says.
type scripted struct {
	findings analysis.Findings
	err      error
	asked    []analysis.Input
	during   func()
}

func (s *scripted) Analyze(_ context.Context, in analysis.Input) (analysis.Findings, error) {
	s.asked = append(s.asked, in)
	if s.during != nil {
		s.during()
	}
	return s.findings, s.err
}

type setup struct {
	url      string
	db       *postgres.DB
	folder   string // where files are stored
	queue    *told
	work     *work.Store
	accounts *account.Service
	service  *company.Service
	analyzer *scripted
	analyst  *company.Analyst

	owner, member, stranger uuid.UUID
	team, rival             uuid.UUID
	statuses                map[string]uuid.UUID
}

func newSetup(t *testing.T) *setup {
	t.Helper()
	url := testkit.DatabaseURL(t)
	return newSetupAt(t, url, url)
}

// newSetupAt reaches the database by a URL that may lead through a proxy.
func newSetupAt(t *testing.T, url, through string) *setup {
	t.Helper()
	s := &setup{url: url, folder: t.TempDir(), queue: &told{}, analyzer: &scripted{}, statuses: map[string]uuid.UUID{}}
	var err error
	if s.db, err = postgres.Open(t.Context(), through, postgres.Options{MaxConnections: 8}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.Close() })
	s.people(t)
	s.services(t)
	return s
}

func (s *setup) people(t *testing.T) {
	t.Helper()
	s.accounts = account.New(s.db)
	for email, id := range map[string]*uuid.UUID{"owner@fund.example": &s.owner, "member@fund.example": &s.member, "eve@rival.example": &s.stranger} {
		user, err := s.accounts.CreateUser(t.Context(), email, email, "")
		if err != nil {
			t.Fatal(err)
		}
		*id = user.ID
	}
	for owner, id := range map[uuid.UUID]*uuid.UUID{s.owner: &s.team, s.stranger: &s.rival} {
		team, err := s.accounts.Create(t.Context(), owner, "Team", pipeline.Seed)
		if err != nil {
			t.Fatal(err)
		}
		*id = team.ID
	}
	if _, err := s.accounts.AddMember(t.Context(), s.team, s.member, account.RoleMember); err != nil {
		t.Fatal(err)
	}
	statuses, _, err := pipeline.New(s.db).List(t.Context(), postgres.AsUser(s.owner), s.team, postgres.FirstPage(100))
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range statuses {
		s.statuses[status.Name] = status.ID
	}
}

func (s *setup) services(t *testing.T) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	blobs, err := blob.Open(t.Context(), "file://"+s.folder)
	if err != nil {
		t.Fatal(err)
	}
	classes := analysis.DefaultDeckClasses()
	s.work = work.NewStore(s.db, s.queue, log)
	s.service = company.New(company.Deps{
		DB: s.db, Blobs: blobs, Work: s.work, Rules: analysis.NewRules(classes),
		MaxFileSize: 1 << 20, Logger: log,
	})
	pool := pdftext.NewPool(pdftext.Options{Children: 1, CacheDir: readerCache(t)})
	t.Cleanup(func() {
		_ = pool.Close()
		_ = blobs.Close()
	})
	s.analyst = company.NewAnalyst(company.AnalystDeps{
		DB: s.db, Blobs: blobs, Work: s.work, Reader: pool, Analyzer: s.analyzer, Now: time.Now, Logger: log,
	})
}

// readerCache is where the second PDF reader is kept compiled, so that not every run of the tests compiles it.
func readerCache(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "dealflow-test", "pdfium")
}

// upload receives files, whose names tell their content: NAME.pdf is a deck of testdata, everything else a text.
func (s *setup) upload(t *testing.T, d *company.Draft, names ...string) {
	t.Helper()
	for i, name := range names {
		var content *os.File
		var reader interface{ Read([]byte) (int, error) } = strings.NewReader("plain words in " + name)
		if strings.HasSuffix(name, ".pdf") {
			var err error
			if content, err = os.Open(filepath.Join("testdata", name)); err != nil {
				t.Fatal(err)
			}
			defer content.Close()
			reader = content
		}
		up, err := s.service.Receive(t.Context(), d.CompanyID, i, "folder/"+name, reader)
		if err != nil {
			t.Fatalf("receive %s: %v", name, err)
		}
		d.Files = append(d.Files, up)
	}
}

func (s *setup) draft(text string) company.Draft {
	return company.Draft{CompanyID: uuid.New(), WorkID: uuid.New(), AccountID: s.team, Text: text, RequestID: "r"}
}

func (s *setup) intake(t *testing.T, d company.Draft) company.Draft {
	t.Helper()
	if err := s.service.Intake(t.Context(), s.owner, d); err != nil {
		t.Fatalf("intake: %v", err)
	}
	return d
}

// analyse does the work that was told last, as a worker would.
func (s *setup) analyse(t *testing.T) error {
	t.Helper()
	item, err := s.work.Claim(t.Context(), s.queue.refs[len(s.queue.refs)-1], time.Minute)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	return s.analyst.Analyse(t.Context(), item)
}

func (s *setup) outcome(t *testing.T, d company.Draft) company.Intaken {
	t.Helper()
	out, err := s.service.Outcome(t.Context(), s.owner, d)
	if err != nil {
		t.Fatalf("outcome: %v", err)
	}
	return out
}

// stored lists the files in storage by their first folder: incoming or companies.
func (s *setup) stored(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(s.folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			relative, _ := filepath.Rel(s.folder, path)
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

func (s *setup) count(t *testing.T, table string) int {
	t.Helper()
	return testkit.Count(t, s.url, table)
}

const long = "Dear team, we are building something remarkable and would love to tell you about it."
