package pdftext_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"dealflow/internal/pdftext"
	"dealflow/internal/testkit"
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

// What a child may not do, no reader of documents needs: without confinement, the answers are the same to a byte. This
// also shows to `make cover` what readers do, for a child that is confined cannot write that down.
func TestConfinementChangesNoAnswer(t *testing.T) {
	t.Parallel()
	requests := []string{
		`"Op":"read","Read":"ledongthuc"`, `"Op":"read","Read":"pdfium"`, `"Op":"draw","Most":1,"Width":300`,
		`"Op":"words","Most":1`,
	}
	names := slices.Concat(samples(t, "testdata/decks/*.pdf"), samples(t, "testdata/scripts/*.pdf"))
	input := frame(fmt.Sprintf(`{"MemoryLimit":1000000000,"MaxPages":9,"MaxTextBytes":99999,"CacheDir":%q}`,
		testkit.PDFCache()))
	for _, name := range names {
		document := string(testdata(t, strings.TrimPrefix(name, "testdata/")))
		for i, request := range requests {
			if i == 0 {
				input += frame(fmt.Sprintf(`{%s,"Size":%d}`, request, len(document))) + document
			} else {
				input += frame(`{` + request + `,"Cached":true}`)
			}
		}
		input += frame(`{"Op":"rest"}`)
	}
	confined, status := runChild(t, input)
	var output bytes.Buffer
	if err := pdftext.AnswerUnconfined(strings.NewReader(input), &output); status != 0 || !errors.Is(err, io.EOF) {
		t.Fatalf("the child ended with %d; without confinement: %v", status, err)
	}
	want, got := frames(t, output.String()), frames(t, confined)[1:] // without "ready"
	answered := 0
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Fatalf("%s: the child answers %.200q, without confinement %.200q", names[answered/len(requests)], got[i], want[i])
		}
		if strings.Contains(want[i], `"Kind":"done"`) {
			answered++
		}
	}
	if len(want) != len(got) || answered != len(names)*len(requests) {
		t.Errorf("%d answers, %d without confinement, to %d of %d requests", len(got), len(want), answered,
			len(names)*len(requests))
	}
}

// frames returns the bodies of the frames of which answers is made.
func frames(t *testing.T, answers string) (bodies []string) {
	t.Helper()
	for len(answers) > 0 {
		size := int(binary.BigEndian.Uint32([]byte(answers)))
		bodies = append(bodies, answers[4:4+size])
		answers = answers[4+size:]
	}
	return bodies
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
