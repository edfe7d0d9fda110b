package pdftext_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dealflow/internal/pdftext"
	"dealflow/internal/testkit"
)

func TestMain(m *testing.M) {
	if pdftext.IsChild() {
		os.Exit(pdftext.RunChild())
	}
	if len(os.Args) == 2 {
		if role, found := otherRoles()[os.Args[1]]; found {
			exitIf(role())
			os.Exit(0)
		}
	}
	exitIf(warm())
	os.Exit(m.Run())
}

func exitIf(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// warm has PDFium compiled once for all tests. The folder outlives the tests: with the race detector this takes long.
func warm() error {
	p := pdftext.NewPool(pdftext.Options{Children: 1, CacheDir: testkit.PDFCache()})
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return errors.Join(p.Warm(ctx), p.Close())
}

// newPool makes a pool that ends with the test. Unless a test is about time, a busy machine gets plenty of it.
func newPool(tb testing.TB, o pdftext.Options) *pdftext.Pool {
	tb.Helper()
	o.CacheDir = testkit.PDFCache()
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Minute
	}
	p := pdftext.NewPool(o)
	tb.Cleanup(func() {
		if err := p.Close(); err != nil {
			tb.Error("close the pool:", err)
		}
	})
	return p
}

func testdata(tb testing.TB, name string) []byte {
	tb.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

// mustRead reads a document of which everything is expected to be readable.
func mustRead(t *testing.T, p *pdftext.Pool, content []byte) pdftext.Document {
	t.Helper()
	doc, err := p.Read(t.Context(), bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if doc.Problem != nil {
		t.Fatal("read in part only:", doc.Problem)
	}
	return doc
}
