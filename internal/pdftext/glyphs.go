package pdftext

import (
	"strings"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// textPage is a page whose characters PDFium has collected. PDFium's text is right for most scripts and layouts; for a
// page for which it is known to be wrong, the text is assembled here from the single characters.
type textPage struct {
	pdfium pdfium.Pdfium
	page   requests.Page
	text   references.FPDF_TEXTPAGE
	chars  int
}

// glyph is one character of a page with its position, once that was measured. Lengths are in points.
type glyph struct {
	r   rune   // 0 leaves it out
	at  *point // its origin, where that was asked for
	gap bool   // there is a space before it
}

// point is a position on a page, in points from its lower left corner.
type point struct{ x, y float64 }

// boxes returns the boxes of two characters, by their indexes on the page, in points. They are as high as the font.
func (t textPage) boxes(first, second int) (a, b structs.FPDF_FS_RECTF, err error) {
	boxes := [2]structs.FPDF_FS_RECTF{}
	for n, i := range []int{first, second} {
		box, err := t.pdfium.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: t.text, Index: i})
		if err != nil {
			return a, b, err
		}
		boxes[n] = box.Rect
	}
	return boxes[0], boxes[1], nil
}

// eachRun divides the glyphs into runs, as long as possible, in which together is true for every two neighbours, and
// calls do with each run.
func eachRun(glyphs []glyph, together func(a, b glyph) bool, do func([]glyph)) {
	for start := 0; start < len(glyphs); {
		end := start + 1
		for end < len(glyphs) && together(glyphs[end-1], glyphs[end]) {
			end++
		}
		do(glyphs[start:end])
		start = end
	}
}

// broken reports whether err means that the instance of PDFium itself has failed, so that it must not be used again,
// and not only one call of it.
func broken(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "wasm") || strings.Contains(err.Error(), "panic"))
}
