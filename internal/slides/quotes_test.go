package slides_test

import (
	"os"
	"path/filepath"
	"testing"

	"dealflow/internal/blob"
	"dealflow/internal/fault"
	"dealflow/internal/pdftext"
	"dealflow/internal/slides"
	"dealflow/internal/testkit"
)

func TestMain(m *testing.M) {
	if pdftext.IsChild() {
		os.Exit(pdftext.RunChild())
	}
	os.Exit(m.Run())
}

// TestPagesBehindTheLastAreNotFound checks that quotes on a page that the deck does not have are refused, and that
// nothing is stored for it.
func TestPagesBehindTheLastAreNotFound(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	blobs, err := blob.Open(t.Context(), "file://"+folder)
	if err != nil {
		t.Fatal(err)
	}
	deck, err := os.Open("../doctor/sample.pdf") // of one page
	if err != nil {
		t.Fatal(err)
	}
	defer deck.Close()
	if _, err := blobs.Write(t.Context(), "companies/deck", deck, 1<<20); err != nil {
		t.Fatal(err)
	}
	shown := slides.New(blobs, pdftext.Options{Children: 1, CacheDir: testkit.PDFCache()})
	defer shown.Close()
	if _, err := shown.Quoted(t.Context(), "companies/deck", 1, []string{"x"}); err != nil {
		t.Errorf("the first page: %v", err)
	}
	if _, err := shown.Quoted(t.Context(), "companies/deck", 2, []string{"x"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("a page behind the last: %v, want NotFound", err)
	}
	kept, err := filepath.Glob(filepath.Join(folder, slides.Prefix, "deck/*.words"))
	if err != nil || len(kept) != 1 {
		t.Errorf("stored words of pages: %q, %v, want those of one page", kept, err)
	}
}

// TestNothingIsDrawnAfterClose closes slides before their first page: children that were started later would outlive
// them.
func TestNothingIsDrawnAfterClose(t *testing.T) {
	t.Parallel()
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	deck, err := os.ReadFile("../doctor/sample.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if err := blobs.Put(t.Context(), "companies/deck", deck); err != nil {
		t.Fatal(err)
	}
	shown := slides.New(blobs, pdftext.Options{Children: 1, CacheDir: testkit.PDFCache()})
	if err := shown.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := shown.Page(t.Context(), "companies/deck", 1); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a page after Close: %v, want Unavailable", err)
	}
	if _, err := shown.Quoted(t.Context(), "companies/deck", 1, []string{"x"}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("quotes after Close: %v, want Unavailable", err)
	}
}
