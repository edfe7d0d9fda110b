package pdftext_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"dealflow/internal/pdftext"
)

// BenchmarkRead reads documents in a child that is already started.
func BenchmarkRead(b *testing.B) {
	p := newPool(b, pdftext.Options{Children: 1, RecycleAfter: 1 << 30})
	paths, err := filepath.Glob("testdata/*/*.txt")
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range paths {
		name := path[len("testdata/") : len(path)-len(".txt")]
		content := testdata(b, name+".pdf")
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := p.Read(b.Context(), bytes.NewReader(content)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
