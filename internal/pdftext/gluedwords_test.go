package pdftext_test

import (
	"strings"
	"testing"

	"dealflow/internal/pdftext"
)

// The first reader's text is what is left of a document where PDFium was stopped.
func TestWordsStayApart(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"BT /F1 9 Tf 1 0 0 1 50 500 Tm (Seed round) Tj 1 0 0 1 50 480 Tm (of 2026) Tj " +
			"ET": "Seed round\nof 2026",
		"BT /F1 9 Tf 50 500 Td (Seed round) Tj 0 -20 Td (of 2026) Tj T* (in Oslo) Tj " +
			"ET": "Seed round\nof 2026\nin Oslo",
		"BT /F1 9 Tf 50 500 Td (Seed) Tj 30 0 Td (round) Tj 0 -9 Td (S) Tj 5 0 Td (e) Tj 5 0 Td (e) Tj " +
			"ET": "Seed round\nSee",
		"BT /F1 9 Tf 50 500 Td [(Se) -20 (ed) -300 (round)] TJ 0 -20 Td (x) Tj (y) ' " +
			"ET": "Seed round\nx\ny",
		"BT /F1 9 Tf 50 500 Td [(We) -300 (are) -300 (raising) -300 (our) -300 (seed) -300 (round) -300 (now)] TJ " +
			"ET": "We are raising our seed round now",
	} {
		text, glued, err := pdftext.FirstText(pages(helvetica, content))
		if err != nil || !glued || strings.TrimSpace(text) != want {
			t.Errorf("%s reads %q, glued %v, %v; want %q", content, text, glued, err, want)
		}
	}
}
