package pdftext_test

import (
	"bytes"
	"context"
	"os/exec"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"dealflow/internal/pdftext"
)

const (
	hogsPerCore = 8
	hogsLast    = 2 * time.Second
	readersAt   = 4
)

// Readers on a busy machine read every deck as on an idle one. The timeout is that of newPool: other load makes the
// same work use more processor time, too, and one reader that has just enough of it reads otherwise than one that has
// not. TestOnlyProcessorTimeCounts shows that time without a processor does not count.
func TestDecksReadBesideHogs(t *testing.T) {
	names := decks(t)
	p := newPool(t, pdftext.Options{Children: readersAt})
	rested := readSideBySide(t, p, names)
	stop := startHogs(t)
	defer stop()
	begun := time.Now()
	starved := readSideBySide(t, p, names)
	t.Logf("%d decks took %s", len(names), time.Since(begun))
	for i, name := range names {
		if !reflect.DeepEqual(starved[i], rested[i]) {
			t.Errorf("%s reads otherwise beside hogs", name)
		}
	}
}

// startHogs starts processes that use up every processor until the returned function is called, and no longer than
// hogsLast. They have a lower priority than other programs of the machine, but not behind the readers.
func startHogs(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hogsLast)
	var hogs sync.WaitGroup
	for range hogsPerCore * runtime.NumCPU() {
		hog := exec.CommandContext(ctx, "nice", "-n", "5", "sh", "-c", "ulimit -t 2; while :; do :; done")
		if err := hog.Start(); err != nil {
			t.Error(err)
			continue
		}
		hogs.Go(func() { _ = hog.Wait() }) // it is killed
	}
	return func() { cancel(); hogs.Wait() }
}

// readSideBySide returns the documents of these decks, each of which must be readable.
func readSideBySide(t *testing.T, p *pdftext.Pool, names []string) []pdftext.Document {
	t.Helper()
	read := make([]pdftext.Document, len(names))
	var group sync.WaitGroup
	for i, name := range names {
		content := testdata(t, name+".pdf")
		group.Go(func() {
			var err error
			if read[i], err = p.Read(t.Context(), bytes.NewReader(content)); err != nil || read[i].Problem != nil {
				t.Errorf("%s: %v, %v", name, err, read[i].Problem)
			}
		})
	}
	group.Wait()
	return read
}
