package analyst_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/blob"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/attachment"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
)

// storing is a way to store files of a company: a function, and how many transactions commit before the one that
// stores.
type storing struct {
	commits int32 // of transactions that only read, before the one that stores
	do      func(context.Context, *setup) error
}

// ways returns every way to store files of a company. What each needs exists already, its uploads included.
func (s *setup) ways(t *testing.T) map[string]storing {
	t.Helper()
	made, created := s.Draft(companykit.Long), s.Create(t, "Kestrel", nil)
	s.Upload(t, &made, "a.txt", "b.txt")
	attached := aicreation.Draft{CompanyID: created}
	s.Upload(t, &attached, "c.txt")
	arrival := s.arrival(s.put(t, "d.txt", "words"))
	return map[string]storing{
		"creation": {0, func(ctx context.Context, s *setup) error { return s.Creations.Create(ctx, s.Owner, made) }},
		"attachment": {1, func(ctx context.Context, s *setup) error {
			_, err := s.Attachments.Attach(ctx, s.Owner, attachment.Draft{CompanyID: created, Upload: &attached.Files[0]})
			return err
		}},
		"arrival": {0, func(ctx context.Context, s *setup) error {
			_, err := s.create(ctx, s.creator(), s.Owner, arrival, func() {})
			return err
		}},
	}
}

// books fails the test if a row names a file that is not stored, or if a file is stored that no row names; files of
// emails do not count.
func (s *setup) books(t *testing.T) {
	t.Helper()
	named := map[string]bool{}
	for _, key := range testkit.Texts(t, s.URL, "SELECT storage_path FROM company_files") {
		named[key] = true
		if _, err := os.Stat(filepath.Join(s.Folder, filepath.FromSlash(key))); err != nil {
			t.Errorf("a row names a file that is lost: %v", err)
		}
	}
	err := filepath.WalkDir(s.Folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		key, _ := filepath.Rel(s.Folder, path)
		if !named[filepath.ToSlash(key)] && !strings.HasPrefix(key, "emails") {
			t.Errorf("%s is stored and nothing names it", key)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// wanted returns the number of files that each way stores.
func wanted() map[string]int { return map[string]int{"creation": 2, "attachment": 1, "arrival": 1} }

func TestFilesWhereTheAnswerToCommitIsLost(t *testing.T) {
	t.Parallel()
	for way, files := range wanted() {
		for _, unclear := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, unclear %v", way, unclear), func(t *testing.T) {
				t.Parallel()
				url := testkit.DatabaseURL(t)
				proxy := testkit.NewCommitCutter(t, url)
				s := newSetupAt(t, url, proxy.URL)
				store := s.ways(t)[way]
				if unclear {
					proxy.CutOff(store.commits)
				} else {
					proxy.CutAfter(store.commits, 1)
				}
				if err := store.do(t.Context(), s); errors.Is(err, postgres.ErrOutcomeUnknown) != unclear ||
					!unclear && err != nil {
					t.Errorf("the answer to COMMIT was lost: %v", err)
				}
				proxy.Open()
				s.sweep(t)
				if n := s.Count(t, "company_files"); n != files {
					t.Errorf("%d files, want %d", n, files)
				}
				s.books(t)
			})
		}
	}
}

// sweep removes abandoned uploads of any age.
func (s *setup) sweep(t *testing.T) {
	t.Helper()
	if _, err := s.Uploads.Sweep(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
}

// A client that breaks the connection at any moment leaves a company with all of its files, or nothing.
func TestFilesWhereTheClientHangsUp(t *testing.T) {
	t.Parallel()
	for way, files := range wanted() {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			url := testkit.DatabaseURL(t)
			proxy := testkit.NewCommitCutter(t, url)
			s := newSetupAt(t, url, proxy.URL)
			done, undone := 0, 0
			for at := 1; done < 4 && at < 100; at++ { // the last round trips come after the COMMIT
				store, before := s.ways(t)[way], s.Count(t, "company_files")
				ctx, hangUp := context.WithCancel(t.Context())
				proxy.Watch(func(sends int) {
					if sends == at {
						hangUp()
					}
				})
				err := store.do(ctx, s)
				proxy.Watch(nil)
				hangUp()
				s.sweep(t)
				switch n := s.Count(t, "company_files") - before; {
				case n == files && err == nil:
					done++
				case n == 0 && err != nil:
					undone++
				default:
					t.Errorf("hung up at round trip %d: %v, %d files", at, err, n)
				}
				s.books(t)
			}
			if done < 4 || undone < 4 {
				t.Errorf("%d were done and %d were not: the test has missed some", done, undone)
			}
		})
	}
}

// A process that dies before the commit leaves files under both names: the sweep finds them, and lets alone what was
// kept lately.
func TestSweepOfWhatWasKeptAndNeverCommitted(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "a.txt", "b.txt")
	blobs, err := blob.Open(t.Context(), "file://"+s.Folder)
	if err != nil {
		t.Fatal(err)
	}
	defer blobs.Close()
	for _, up := range d.Files {
		from, to := "incoming/"+d.CompanyID.String()+"_"+up.ID.String(), "companies/"+d.CompanyID.String()+"/"+up.ID.String()
		old := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(filepath.Join(s.Folder, from), old, old); err != nil {
			t.Fatal(err)
		}
		if err := blobs.Keep(t.Context(), blob.Pair{From: from, To: to}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Uploads.Sweep(t.Context(), time.Hour); err != nil || n != 0 || len(s.Stored(t)) != 4 {
		t.Errorf("the sweep took %d of what is being committed, %v: %v", n, err, s.Stored(t))
	}
	if n, err := s.Uploads.Sweep(t.Context(), 0); err != nil || n != 2 || len(s.Stored(t)) != 0 {
		t.Errorf("the sweep took %d of what died, %v: %v", n, err, s.Stored(t))
	}
}

// A storage that fails is reported as such, and leaves nothing behind.
func TestStorageThatCannotKeep(t *testing.T) {
	t.Parallel()
	for way := range wanted() {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			store := s.ways(t)[way]
			if err := os.WriteFile(filepath.Join(s.Folder, "companies"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := store.do(t.Context(), s); !blob.IsUnavailable(err) {
				t.Errorf("got %v", err)
			}
			if n := s.Count(t, "company_files"); n != 0 {
				t.Errorf("%d files", n)
			}
			if err := os.Remove(filepath.Join(s.Folder, "companies")); err != nil {
				t.Fatal(err)
			}
			s.sweep(t)
			s.books(t)
		})
	}
}

// A storage that cannot be reached while a worker reads is not recorded as an error of the document.
func TestStorageThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "lo-basic-12.pdf")
	s.Pitch(t, d)
	files, away := filepath.Join(s.Folder, "companies"), filepath.Join(t.TempDir(), "away")
	// no folder is there to read
	if err := errors.Join(os.Rename(files, away), os.WriteFile(files, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := s.Analyse(t); !blob.IsUnavailable(err) {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(os.Remove(files), os.Rename(away, files)); err != nil {
		t.Fatal(err)
	}
	s.Analyzer.Findings = s.Found()
	item := testkit.Texts(t, s.URL, "SELECT state FROM work WHERE subject_id = '"+d.CompanyID.String()+"'")
	if len(item) != 1 || uuid.Nil == d.WorkID {
		t.Errorf("the work is %v", item)
	}
}
