package upload_test

import (
	"cmp"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/blob"
	"dealflow/internal/company/upload"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/retention"
	"dealflow/internal/testkit/companykit"
)

func TestReceiveRefuses(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	if _, err := s.Uploads.Receive(t.Context(), uuid.New(), 3, "a.txt", strings.NewReader("")); !fault.Is(err,
		fault.InvalidBody) || !strings.Contains(err.Error(), "file_3") {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := s.Uploads.Receive(t.Context(), uuid.New(), 3, "a.txt",
		strings.NewReader(strings.Repeat("x", 1<<20+1))); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a large file: %v", err)
	}
	if got := s.Stored(t); len(got) != 0 {
		t.Errorf("storage holds %v", got)
	}
}

func TestFileNamesAreNeverPaths(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for given, want := range map[string]string{
		"deck.pdf": "deck.pdf", "../../etc/passwd": "passwd", `C:\Users\x\Deck final.pptx`: "Deck final.pptx", "": "file_0",
		"..": "file_0", "\u200b\u3164": "file_0", "a\x00b\nc.txt": "abc.txt",
		strings.Repeat("n", 400) + ".pdf": strings.Repeat("n", 251) + ".pdf", "プレゼン資料.pdf": "プレゼン資料.pdf",
	} {
		up, err := s.Uploads.Receive(t.Context(), uuid.New(), 0, given, strings.NewReader("x"))
		if err != nil || up.FileName != want {
			t.Errorf("%q became %q, %v; want %q", given, up.FileName, err, want)
		}
	}
}

func TestSweepFindsWhatACrashLeftBehind(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	orphan, kept := s.Draft(companykit.Long), s.Draft(companykit.Long)
	s.Upload(t, &orphan, "a.txt")
	s.Upload(t, &kept, "b.txt")
	s.Pitch(t, kept)
	if n, err := s.Uploads.Sweep(t.Context(), time.Hour); err != nil || n != 0 {
		t.Errorf("a sweep of what is an hour old removed %d, %v", n, err)
	}
	if n, err := s.Uploads.Sweep(t.Context(), 0); err != nil || n != 1 {
		t.Errorf("the sweep removed %d, %v; want 1", n, err)
	}
	if got := s.Stored(t); !slices.Equal(got, []string{"companies"}) {
		t.Errorf("storage holds %v", got)
	}
}

// TestSweepFindsACopyThatCouldNotBeRemoved has the storage refuse to remove the copy of an upload whose row was not
// stored. A link that leads out of the storage folder refuses everything below it.
func TestSweepFindsACopyThatCouldNotBeRemoved(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "a.txt")
	folder, aside := filepath.Join(s.Folder, "companies", d.CompanyID.String()), filepath.Join(s.Folder, "aside")
	refused := errors.New("no row was stored")
	err := s.Uploads.Keeping(t.Context(), s.Owner, d.CompanyID, d.Files, func(*postgres.Tx) error {
		return cmp.Or(os.Rename(folder, aside), os.Symlink(t.TempDir(), folder), refused)
	})
	if !errors.Is(err, refused) {
		t.Fatal(err)
	}
	if err := cmp.Or(os.Remove(folder), os.Rename(aside, folder)); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Uploads.Sweep(t.Context(), 0); err != nil || n != 1 {
		t.Errorf("the sweep removed %d uploads, %v; want 1", n, err)
	}
	if left, err := os.ReadDir(folder); err == nil && len(left) > 0 {
		t.Errorf("the copy %s stays for ever", left[0].Name())
	}
}

// TestSweepLeavesTheFilesOfSlowForms sweeps when the first file of a form waits for the others. Ten files of a megabyte
// take 2.8 hours at a kilobyte a second.
func TestSweepLeavesTheFilesOfSlowForms(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	blobs, err := blob.Open(t.Context(), "file://"+folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	uploads := upload.New(upload.Options{
		DB: newSetup(t).DB, Blobs: blobs, MaxFileSize: 1 << 20, MinBodyRate: 1 << 10, Logger: slog.New(slog.DiscardHandler),
	})
	company := uuid.New()
	up, err := uploads.Receive(t.Context(), company, 0, "deck.txt", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		age   time.Duration
		swept int
	}{{3 * time.Hour, 0}, {4 * time.Hour, 1}} {
		then := time.Now().Add(-tc.age)
		if err := os.Chtimes(filepath.Join(folder, upload.IncomingKey(company, up.ID)), then, then); err != nil {
			t.Fatal(err)
		}
		if n, err := uploads.Sweep(t.Context(), retention.AbandonedFiles); err != nil || n != tc.swept {
			t.Errorf("a file of %s: %d swept, %v; want %d", tc.age, n, err, tc.swept)
		}
	}
}
