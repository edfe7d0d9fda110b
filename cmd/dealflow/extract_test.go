package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dealflow/internal/testkit"
)

// lines decodes what extract printed, whose members must be these four alone.
func lines(t *testing.T, out string) []extracted {
	t.Helper()
	read := []extracted{}
	for line := range strings.Lines(out) {
		var members map[string]json.RawMessage
		var one extracted
		if err := errors.Join(json.Unmarshal([]byte(line), &members), json.Unmarshal([]byte(line), &one)); err != nil {
			t.Fatalf("no JSON object: %v\n%s", err, line)
		}
		for _, member := range []string{"file", "pages", "reader", "error"} {
			if _, ok := members[member]; !ok || len(members) != 4 || one.Pages == nil {
				t.Errorf("the members are %v, want file, pages (an array), reader and error", members)
			}
		}
		read = append(read, one)
	}
	return read
}

// words returns text with one space for each run of white space, and none at its ends.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExtractReadsDecks(t *testing.T) {
	t.Parallel()
	o := command{
		env:  []string{"PDF_CACHE_DIR=" + testkit.PDFCache()},
		args: []string{"extract", "testdata/lo-4x3-9.pdf", "testdata/rl-helv-12.pdf", "testdata/lo-4x3-9.pdf"},
	}.run(t)
	o.wantQuiet(t)
	read := lines(t, o.out)
	if len(read) != 3 {
		t.Fatalf("%d lines for 3 files:\n%s", len(read), o.out)
	}
	for i, want := range []struct {
		file, page1 string
		pages       int
	}{
		{"testdata/lo-4x3-9.pdf", "suffix gross profit round platform payback", 9},
		{"testdata/rl-helv-12.pdf", "diagnostics hiring warehouse forecast audit", 12},
		{"testdata/lo-4x3-9.pdf", "suffix gross profit round platform payback", 9},
	} {
		got := read[i]
		if got.File != want.file || len(got.Pages) != want.pages || got.Error != nil || got.Reader == nil ||
			*got.Reader == "" {
			t.Errorf("line %d: %s, %d pages, reader %v, error %v; want %+v", i, got.File, len(got.Pages), got.Reader, got.Error,
				want)
		}
		if !strings.Contains(words(got.Pages[0]), want.page1) {
			t.Errorf("line %d: page 1 is %q, without %q", i, got.Pages[0], want.page1)
		}
	}
}

func TestExtractTellsWhatIsWrongAndGoesOn(t *testing.T) {
	t.Parallel()
	memo, folder := write(t, "memo.txt", "Dear team, no deck yet."), t.TempDir()
	binary, rubbish := write(t, "binary.pdf", "\x00\x01\x02"), write(t, "rubbish.pdf", "%PDF-1.7\nnothing follows")
	page := write(t, "page.pdf", "<!DOCTYPE html><html><body>sign in</body></html>")
	paths := []string{
		memo, "testdata/rl-helv-12.pdf", "no-such.pdf", folder, binary, rubbish, "testdata/h5d-objstm-in-itself.pdf", page,
		"testdata/lo-4x3-9.pdf",
	}
	wants := []string{
		"memo.txt is no PDF but text/plain", "", "no-such.pdf: no such file", "is no regular file", "no readable PDF",
		"no readable PDF", "PDF", "page.pdf is no PDF but text/html", "",
	}
	o := command{
		env: []string{"PDF_CACHE_DIR=" + testkit.PDFCache()}, args: append([]string{"--json", "extract"}, paths...),
	}.run(t)
	if o.code != 1 || !strings.Contains(o.errOut, "dealflow: 7 of 9 files could not be read whole") {
		t.Errorf("exit code %d, stderr %q", o.code, o.errOut)
	}
	read := lines(t, o.out)
	if len(read) != len(paths) {
		t.Fatalf("%d lines for %d files:\n%s", len(read), len(paths), o.out)
	}
	for i, got := range read {
		problem := ""
		if got.Error != nil {
			problem = *got.Error
		}
		if got.File != paths[i] || (problem == "") != (wants[i] == "") || !strings.Contains(problem, wants[i]) {
			t.Errorf("line %d is of %s with the error %q; want %s, %q", i, got.File, problem, paths[i], wants[i])
		}
		if (len(got.Pages) == 0) != (wants[i] != "") {
			t.Errorf("%s: %d pages beside the error %q", got.File, len(got.Pages), problem)
		}
	}
}

func TestExtractGivesWhatCouldBeRead(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile("testdata/rl-helv-12.pdf")
	if err != nil {
		t.Fatal(err)
	}
	o := command{
		env:  []string{"PDF_CACHE_DIR=" + testkit.PDFCache()},
		args: []string{"extract", write(t, "cut.pdf", string(whole[:7000]))},
	}.run(t)
	read := lines(t, o.out)
	if o.code != 1 || len(read) != 1 || read[0].Error == nil || read[0].Reader == nil ||
		!strings.Contains(words(strings.Join(read[0].Pages, " ")), "hiring warehouse") {
		t.Errorf("exit code %d, stdout %s; want pages beside an error", o.code, o.out)
	}
	if !strings.Contains(o.errOut, "pages have no text") {
		t.Errorf("stderr does not name the pages without text: %s", o.errOut)
	}
}

func TestExtractRefuses(t *testing.T) {
	t.Parallel()
	command{args: []string{"extract"}}.run(t).wantRefusal(t, "requires at least 1 arg")
	o := command{
		env: []string{"PDF_CHILDREN=0", "PDF_TIMEOUT=soon"}, args: []string{"extract", "testdata/rl-helv-12.pdf"},
	}.run(t)
	if o.code != 1 || o.out != "" || !strings.Contains(o.errOut, "PDF_CHILDREN") ||
		!strings.Contains(o.errOut, "PDF_TIMEOUT") {
		t.Errorf("wrong settings: exit code %d, stdout %q, stderr %q", o.code, o.out, o.errOut)
	}
}

func TestInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32 // side by side
		waits := []int{9, 1, 5, 2, 8, 1, 1, 3}
		used := []int{}
		err := inOrder(waits, 3, func(wait int) int {
			if now := running.Add(1); now > most.Load() {
				most.Store(now)
			}
			defer running.Add(-1)
			time.Sleep(time.Duration(wait) * time.Second)
			return 10 * wait
		}, func(result int) error {
			used = append(used, result/10)
			return nil
		})
		if err != nil || !slices.Equal(used, waits) {
			t.Errorf("used %v, %v; want %v", used, err, waits)
		}
		if most.Load() != 3 {
			t.Errorf("%d at once, want 3", most.Load())
		}
	})
}

func TestInOrderDoesNotRunAhead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int32
		release := make(chan struct{})
		items := make([]int, 50)
		items[0] = 1
		go func() {
			synctest.Wait()
			if n := begun.Load(); n != 4 {
				t.Errorf("with one that takes long %d were begun, want 4", n)
			}
			close(release)
		}()
		err := inOrder(items, 4, func(item int) bool {
			begun.Add(1)
			if item == 1 {
				<-release
			}
			return true
		}, func(bool) error { return nil })
		if err != nil || begun.Load() != 50 {
			t.Errorf("%d of 50 done, %v", begun.Load(), err)
		}
	})
}

func TestInOrderEndsWithTheFirstError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		full, used := errors.New("disk full"), 0
		err := inOrder(make([]int, 50), 4, func(int) bool { return true }, func(bool) error {
			used++
			return full
		})
		if !errors.Is(err, full) || used != 1 {
			t.Errorf("%v after %d uses, want %v after 1", err, used, full)
		}
	})
}
