//go:build !race

package pdftext_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dealflow/internal/pdftext"
)

// A folder that cannot be used costs the seconds of compiling, no document. With the race detector it takes too long.
func TestUnusableCacheCostsOnlyTime(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := pdftext.NewPool(pdftext.Options{Children: 1, Timeout: 2 * time.Minute, CacheDir: filepath.Join(file, "cache")})
	t.Cleanup(func() { _ = p.Close() })
	doc := mustRead(t, p, testdata(t, "decks/qpdf-aes256-12.pdf"))
	if doc.Reader != pdftext.PDFium || !strings.Contains(doc.Pages[0], "Problem") {
		t.Errorf("%s read %q", doc.Reader, doc.Pages)
	}
}
