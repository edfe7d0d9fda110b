package pdftext_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dealflow/internal/pdftext"
	"dealflow/internal/testkit"
)

// parentArgument makes the test program hold a pool with one child at work, until it is killed.
const parentArgument = "pool-parent"

// otherRoles returns what the test program does instead of the tests, by its argument.
func otherRoles() map[string]func() error {
	return map[string]func() error{parentArgument: parent, escapeArgument: escape}
}

// parent holds a pool whose only child is stuck in a document, says when that is so, and waits to be killed.
func parent() error {
	endless, err := os.ReadFile("testdata/hostile/h5-xref-prev-self.pdf")
	if err != nil {
		return err
	}
	p := pdftext.NewPool(pdftext.Options{Children: 1, Timeout: 5 * time.Minute})
	if _, err := p.Read(context.Background(), bytes.NewReader(pages(helvetica, show(filler)))); err != nil {
		return err
	}
	go func() {
		time.Sleep(300 * time.Millisecond)
		fmt.Fprintln(os.Stdout, "busy")
	}()
	_, err = p.Read(context.Background(), bytes.NewReader(endless))
	return err
}

// No test of this file runs beside another: they look at all the children of this process.

func TestChildrenDieWithAKilledParent(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, parentArgument)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("busy\n"))
	if _, err := out.Read(line); err != nil {
		t.Fatal("the parent ended:", err)
	}
	children := childrenOf(t, cmd.Process.Pid)
	if len(children) != 1 {
		t.Fatalf("the parent has the children %v, want one", children)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	waitGone(t, children)
}

func TestCloseLeavesNoChild(t *testing.T) {
	p := pdftext.NewPool(pdftext.Options{Children: 3, CacheDir: testkit.PDFCache()})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if left := childrenOf(t, os.Getpid()); len(left) > 0 {
		t.Errorf("the children %v are left", left)
	}
}

func TestChildrenAreReplacedAfterSoManyDocuments(t *testing.T) {
	p := newPool(t, pdftext.Options{Children: 1, RecycleAfter: 2})
	deck := pages(helvetica, show(filler))
	var seen []string
	for range 4 {
		mustRead(t, p, deck)
		seen = append(seen, childrenOf(t, os.Getpid())...)
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(seen))); len(distinct) < 2 || len(distinct) > 3 {
		t.Errorf("four documents were read by the children %v, want two, and perhaps the next one", distinct)
	}
}

// An idle child that was killed is replaced, and the next document is read.
func TestKilledChildIsReplaced(t *testing.T) {
	p := newPool(t, pdftext.Options{Children: 1})
	deck := testdata(t, "decks/lo-basic-12.pdf")
	mustRead(t, p, deck)
	for _, pid := range childrenOf(t, os.Getpid()) {
		if err := syscall.Kill(atoi(t, pid), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	if doc := mustRead(t, p, deck); len(doc.Pages) != 12 || !strings.Contains(doc.Pages[0], "Problem") {
		t.Errorf("read %q", doc.Pages)
	}
}

func TestChildrenAreConfined(t *testing.T) {
	t.Setenv("DATABASE_URL", "postgres://secret")
	p := newPool(t, pdftext.Options{Children: 1, MemoryLimit: 300 << 20, Timeout: 10 * time.Second})
	mustRead(t, p, pages(helvetica, show(filler)))
	children := childrenOf(t, os.Getpid())
	if len(children) != 1 {
		t.Fatalf("the children are %v, want one", children)
	}
	if environment := proc(t, children[0], "environ"); environment != "" {
		t.Errorf("the child has an environment of %d bytes", len(environment))
	}
	for limit, most := range map[string]int{"Max data size": 8 << 30, "Max core file size": 0} {
		if now := limitOf(t, children[0], limit); now > most {
			t.Errorf("%s of the child is %d, want at most %d", limit, now, most)
		}
	}
	doc, err := p.Read(t.Context(),
		bytes.NewReader(packedPage("/FlateDecode", deflate("("+strings.Repeat("word ", 200_000), 400))))
	if err == nil && doc.Problem == nil || errors.Is(err, pdftext.ErrDamaged) {
		t.Errorf("a page of 400 MB: %d pages, error %v", len(doc.Pages), err)
	}
	mustRead(t, p, pages(helvetica, show(filler)))
}

// childrenOf lists the process ids of the children of all threads of a process.
func childrenOf(t *testing.T, pid int) []string {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil || len(tasks) == 0 {
		t.Fatalf("no threads of %d, error %v", pid, err)
	}
	var children []string
	for _, task := range tasks {
		list, err := os.ReadFile(task)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		children = append(children, strings.Fields(string(list))...)
	}
	return children
}

func proc(t *testing.T, pid, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("/proc", pid, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// limitOf returns a resource limit of a process in bytes.
func limitOf(t *testing.T, pid, name string) int {
	t.Helper()
	for line := range strings.Lines(proc(t, pid, "limits")) {
		if rest, found := strings.CutPrefix(line, name); found {
			return atoi(t, strings.Fields(rest)[0])
		}
	}
	t.Fatalf("the child has no limit called %q", name)
	return 0
}

func waitGone(t *testing.T, pids []string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for _, pid := range pids {
		for running(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("the child %s goes on", pid)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// running reports whether the process is there and no zombie that only waits to be noticed.
func running(pid string) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// everyChild sends a signal to the children of this process.
func everyChild(t *testing.T, signal syscall.Signal) {
	t.Helper()
	for _, pid := range childrenOf(t, os.Getpid()) {
		_ = syscall.Kill(atoi(t, pid), signal) // one that is gone is fine
	}
}

// A document whose reader is killed is read by the next one.
func TestADocumentOutlivesItsKilledReader(t *testing.T) {
	p := newPool(t, pdftext.Options{Children: 1})
	deck := testdata(t, "decks/lo-basic-12.pdf")
	mustRead(t, p, deck)
	everyChild(t, syscall.SIGSTOP)
	go func() {
		time.Sleep(200 * time.Millisecond)
		everyChild(t, syscall.SIGKILL)
	}()
	if doc := mustRead(t, p, deck); len(doc.Pages) != 12 {
		t.Errorf("read %d pages", len(doc.Pages))
	}
}

// If another process kills every reader, the error does not blame the document.
func TestKilledReadersSayNothingAboutTheDocument(t *testing.T) {
	p := newPool(t, pdftext.Options{Children: 1})
	mustRead(t, p, pages(helvetica, show(filler)))
	done := make(chan error, 1)
	go func() {
		_, err := p.Read(t.Context(), bytes.NewReader(spin()))
		done <- err
	}()
	for {
		select {
		case err := <-done:
			if !pdftext.IsTemporary(err) || strings.Contains(err.Error(), "export") {
				t.Errorf("error %v, want one that passes", err)
			}
			return
		case <-time.After(20 * time.Millisecond):
			everyChild(t, syscall.SIGKILL)
		}
	}
}

// A child that waits for a busy machine uses nothing up: here it is stopped for longer than it may work.
func TestOnlyProcessorTimeCounts(t *testing.T) {
	p := newPool(t, pdftext.Options{Children: 1, Timeout: 500 * time.Millisecond})
	deck := testdata(t, "decks/lo-basic-12.pdf")
	mustRead(t, p, deck)
	everyChild(t, syscall.SIGSTOP)
	go func() {
		time.Sleep(1200 * time.Millisecond)
		everyChild(t, syscall.SIGCONT)
	}()
	if doc := mustRead(t, p, deck); len(doc.Pages) != 12 {
		t.Errorf("read %d pages", len(doc.Pages))
	}
	_, err := p.Read(t.Context(), bytes.NewReader(spin()))
	if !errors.Is(err, pdftext.ErrTimeout) || !strings.Contains(err.Error(), "more than 0.5 s of processor time") {
		t.Errorf("error %v, want the processor time", err)
	}
}

// Readers have a low priority, so that requests that take a millisecond do not wait for them.
func TestReadersStandBack(t *testing.T) {
	// one child, after a document: another might not have lowered its priority yet
	p := newPool(t, pdftext.Options{Children: 1})
	mustRead(t, p, pages(helvetica, show(filler)))
	const nice = 19 - 3 // of proc(5), counted after the name, which may hold anything
	for _, child := range childrenOf(t, os.Getpid()) {
		_, rest, _ := strings.Cut(proc(t, child, "stat"), ") ")
		if fields := strings.Fields(rest); fields[nice] != "10" {
			t.Errorf("a reader has the niceness %s, want 10", fields[nice])
		}
	}
}
