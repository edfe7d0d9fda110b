package progress_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"dealflow/internal/progress"
)

// TestLinesAreWrittenSeldom expects a log to get a line at the beginning, none for what follows at once, and one at the
// end.
func TestLinesAreWrittenSeldom(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	d := progress.New(&out)
	d.Start("files")
	for now := range int64(4) {
		if d.Due(now == 3) {
			d.Show("files", now+1, 4, func(float64) string { return fmt.Sprintf("%d of 4 files sent", now+1) })
		}
	}
	d.Done()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "1 of 4 files sent, ") || lines[1] != "4 of 4 files sent" {
		t.Errorf("written: %q", lines)
	}
}

func TestBytesAreCounted(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	from, to := &progress.Reader{Reader: strings.NewReader("a deck")}, &progress.Writer{Writer: &out}
	if _, err := io.Copy(to, from); err != nil || from.Count() != 6 || to.Count() != 6 || out.String() != "a deck" {
		t.Errorf("read %d, written %d (%q): %v", from.Count(), to.Count(), out.String(), err)
	}
}
