package pdftext_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"dealflow/internal/pdftext"
)

// A child ends with its input, whatever that was, and says nothing that is no answer.
func TestChildEndsWithItsInput(t *testing.T) {
	t.Parallel()
	hello := frame(`{"MemoryLimit":1000000000,"MaxPages":9,"MaxTextBytes":999}`)
	document := string(pages(helvetica, show(filler)))
	size := `"Size":` + strconv.Itoa(len(document)) + `}`
	for name, tc := range map[string]struct {
		input   string
		status  int
		answers []string
	}{
		"nothing":    {"", 0, nil},
		"a greeting": {hello, 0, []string{`"ready"`}},
		"a document": {
			hello + frame(`{"Op":"read","Read":"ledongthuc",`+size) + document, 0,
			[]string{`"ready"`, `"started"`, filler, `"done"`},
		},
		"the same once more": {
			hello + frame(`{"Op":"read","Read":"ledongthuc",`+size) + document + frame(`{"Op":"read","Read":"ledongthuc"}`), 0,
			[]string{`"ready"`, `"started"`, filler, `"done"`, `"started"`, filler, `"done"`},
		},
		"none after a rest": {
			hello + frame(`{"Op":"read","Read":"ledongthuc",`+size) + document + frame(`{"Op":"rest"}`) +
				frame(`{"Op":"read","Read":"ledongthuc"}`), 0, []string{`"ready"`, filler, `"done"`, `"started"`, `"damaged"`},
		},
		"half a document": {
			hello + frame(`{"Op":"read","Read":"ledongthuc",`+size) + document[:50], 1, []string{`"ready"`},
		},
		"half a frame":           {hello[:9], 1, nil},
		"no JSON":                {frame("hello?"), 1, nil},
		"a frame beyond measure": {"\xff\xff\xff\xff and more", 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers, status := runChild(t, tc.input)
			if status != tc.status {
				t.Errorf("it ended with %d, want %d", status, tc.status)
			}
			rest := answers
			for _, want := range tc.answers {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("no %s in the rest %q of the answers", want, rest)
				}
				rest = after
			}
			if len(tc.answers) == 0 && answers != "" {
				t.Errorf("it answered %q to nothing", answers)
			}
		})
	}
}

func runChild(t *testing.T, input string) (answers string, status int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "pdftext-child")
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func frame(body string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)))) + body
}

// Only the child's own argument makes a child.
func TestThisIsNoChild(t *testing.T) {
	t.Parallel()
	if pdftext.IsChild() {
		t.Error("a test takes itself for a child")
	}
}

// What becomes of a child is logged for the operators, without a word of the document.
func TestLostReadersAreLogged(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	p := newPool(t, pdftext.Options{
		Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	_, err := p.Read(t.Context(), bytes.NewReader(testdata(t, "hostile/h5d-objstm-in-itself.pdf")))
	if !errors.Is(err, pdftext.ErrCrashed) && !errors.Is(err, pdftext.ErrDamaged) {
		t.Errorf("error %v", err)
	}
	mustRead(t, p, pages(helvetica, show("seedRound marketSize "+filler)))
	text := log.String()
	for _, want := range []string{
		`"a process that reads PDFs ended"`, `"reader":"ledongthuc"`, "stack exceeds", `"PDFium reads the document as well"`,
		`"because":"words without a gap"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the log %s", want, text)
		}
	}
	if strings.Contains(text, "hotels") || strings.Contains(text, "goroutine 1") {
		t.Errorf("the log tells too much: %s", text)
	}
}

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
