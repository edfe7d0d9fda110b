package upload_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
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
		"..": "file_0", "a\x00b\nc.txt": "abc.txt",
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
