package pdftext_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"dealflow/internal/pdftext"
	"dealflow/internal/testkit"
)

// spin builds a file on which the first reader, and then the second, works for seconds.
func spin() []byte { return repeatedContents() }

func TestManyReadAtOnce(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{Children: 2, RecycleAfter: 3})
	deck := testdata(t, "decks/lo-basic-12.pdf")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			doc, err := p.Read(t.Context(), bytes.NewReader(deck))
			if err != nil || len(doc.Pages) != 12 {
				t.Errorf("%d pages, error %v", len(doc.Pages), err)
			}
		})
	}
	all.Wait()
}

func TestLimitsCutWhatIsTooMuch(t *testing.T) {
	t.Parallel()
	joined := strings.TrimSpace(strings.Repeat("seedRound ", 9)) // which only PDFium is trusted with
	for name, tc := range map[string]struct {
		limits pdftext.Options
		line   string
		want   []string
		cut    bool
	}{
		"nothing": {
			pdftext.Options{MaxPages: 3, MaxTextBytes: 500}, filler, []string{filler, filler, filler}, false,
		},
		"pages":                     {pdftext.Options{MaxPages: 2}, filler, []string{filler, filler}, true},
		"pages of PDFium":           {pdftext.Options{MaxPages: 2}, joined, []string{joined, joined}, true},
		"text within a page":        {pdftext.Options{MaxTextBytes: 100}, filler, []string{filler, filler[:33]}, true},
		"text within one of PDFium": {pdftext.Options{MaxTextBytes: 100}, joined, []string{joined, joined[:11]}, true},
		"text that grows in cleaning": {
			pdftext.Options{MaxTextBytes: 150},
			strings.Repeat("half\xbd ", 20),
			[]string{strings.TrimSpace(strings.Repeat("half1⁄2 ", 15))},
			true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := mustRead(t, newPool(t, tc.limits), pages(helvetica, show(tc.line), show(tc.line), show(tc.line)))
			if !slices.Equal(doc.Pages, tc.want) || doc.Cut != tc.cut || doc.PageCount != 3 {
				t.Errorf("%d pages, cut %t: %q, want %q", doc.PageCount, doc.Cut, doc.Pages, tc.want)
			}
		})
	}
}

func TestInputsThatAreNoDocument(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{MaxInputBytes: 2000})
	broken := errors.New("the disk is gone")
	for name, tc := range map[string]struct {
		from io.Reader
		want error
	}{
		"too large":     {bytes.NewReader(testdata(t, "decks/lo-basic-12.pdf")), pdftext.ErrTooLarge},
		"no PDF":        {strings.NewReader("GIF89a"), pdftext.ErrDamaged},
		"empty":         {strings.NewReader(""), pdftext.ErrDamaged},
		"broken reader": {iotest.ErrReader(broken), broken},
	} {
		doc, err := p.Read(t.Context(), tc.from)
		if !errors.Is(err, tc.want) || len(doc.Pages) > 0 {
			t.Errorf("%s: %d pages and error %v, want %v", name, len(doc.Pages), err, tc.want)
		}
	}
	mustRead(t, p, pages(helvetica, show(filler)))
}

func TestCanceledReadFreesItsChild(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{Children: 1})
	mustRead(t, p, pages(helvetica, show(filler)))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if _, err := p.Read(ctx, bytes.NewReader(spin())); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that the time is over", err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it took %s to notice", took)
	}
	mustRead(t, p, pages(helvetica, show(filler)))
}

func TestWaitingForAChildHeedsTheContext(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{Children: 1})
	busy, stop := context.WithCancel(t.Context())
	var reader sync.WaitGroup
	reader.Go(func() {
		if _, err := p.Read(busy, bytes.NewReader(spin())); !errors.Is(err, context.Canceled) {
			t.Errorf("the stopped reader's error is %v", err)
		}
	})
	time.Sleep(100 * time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Read(ctx, strings.NewReader("%PDF-")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that the time is over", err)
	}
	stop()
	reader.Wait()
}

// TestClosingWhileAChildStarts wants ErrClosed at whatever moment of a start the pool is closed.
func TestClosingWhileAChildStarts(t *testing.T) {
	t.Parallel()
	for i := range 16 {
		p := pdftext.NewPool(pdftext.Options{Children: 1, CacheDir: testkit.PDFCache()})
		var reader sync.WaitGroup
		reader.Go(func() {
			if _, err := p.Read(t.Context(), bytes.NewReader(spin())); !errors.Is(err, pdftext.ErrClosed) {
				t.Errorf("closed after %d ms: error %v", 2*i, err)
			}
		})
		time.Sleep(time.Duration(2*i) * time.Millisecond)
		_ = p.Close()
		reader.Wait()
	}
}

func TestClosedPoolReadsNoMore(t *testing.T) {
	t.Parallel()
	p := pdftext.NewPool(pdftext.Options{Children: 1, CacheDir: testkit.PDFCache()})
	mustRead(t, p, pages(helvetica, show(filler)))
	var reader sync.WaitGroup
	reader.Go(func() {
		if _, err := p.Read(t.Context(), bytes.NewReader(spin())); !errors.Is(err, pdftext.ErrClosed) {
			t.Errorf("the error of a document at work is %v", err)
		}
	})
	time.Sleep(100 * time.Millisecond)
	for range 2 {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	reader.Wait()
	if _, err := p.Read(t.Context(), strings.NewReader("%PDF-")); !errors.Is(err, pdftext.ErrClosed) {
		t.Errorf("error %v after the end", err)
	}
	if err := p.Warm(t.Context()); err == nil {
		t.Error("a closed pool can be warmed")
	}
}

// The pages that were read before a page that cannot be are kept, and the reason is reported.
func TestPagesBeforeAFatalOneAreKept(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	f := &file{}
	font := f.add(helvetica)
	for i := range 10 {
		f.stream(fmtForm(i+3), strings.Repeat("/X Do ", 10))
	}
	f.stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "BT ET")
	resources := "<</Font<</F1 1 0 R>>/XObject<</X 2 0 R>>>>"
	content := f.bytes(f.deck(resources, show("first "+filler), show("second "+filler), "/X Do", show("fourth "+filler)),
		"")
	if font != 1 {
		t.Fatal("the font is not the first object")
	}
	doc, err := p.Read(t.Context(), bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"first " + filler, "second " + filler, "", "fourth " + filler}
	if strings.Join(doc.Pages, "|") != strings.Join(want, "|") {
		t.Errorf("read %q, want %q", doc.Pages, want)
	}
	if !isTold(doc.Problem) {
		t.Errorf("the problem is %v", doc.Problem)
	}
}

func TestDeadlineHoldsForTheWholeDocument(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{Children: 1, Timeout: time.Second})
	begun := time.Now()
	_, err := p.Read(t.Context(), bytes.NewReader(spin()))
	if !isTold(err) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("answered after %s, with one second allowed", took)
	}
}
