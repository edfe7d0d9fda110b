package pdftext

import (
	"slices"
	"unicode"

	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"

	"dealflow/internal/pdftext/pagetext"
)

// narrowSpace is by how much a gap must be wider than the usual gap of its line to be a space, as a fraction of the
// letters' height. PDFium adds a space only for a larger difference.
const narrowSpace = 0.09

// openGaps adds spaces where the letters of a line are further apart than usual, and where one letter is far above or
// below the next. It measures no gaps between letters that are read from right to left. It must run before any step
// that moves glyphs, since it uses the index of a glyph as the index of its character on the page.
func (t textPage) openGaps(glyphs []glyph) error {
	var line []neighbours
	var before *structs.FPDF_FS_RECTF
	for i, g := range glyphs {
		if g.r == 0 {
			continue // a glyph without a meaning is often the space
		}
		if g.r == '\r' || g.r == '\n' {
			open(glyphs, line)
			line = nil
		}
		if !unicode.IsGraphic(g.r) || unicode.IsSpace(g.r) {
			before = nil
			continue
		}
		box, err := t.pdfium.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: t.text, Index: i})
		if broken(err) {
			return err
		}
		if err != nil {
			before = nil
			continue
		}
		switch {
		case before == nil:
		case farBelow(*before, box.Rect), farBelow(box.Rect, *before):
			glyphs[i].gap = true
		case !pagetext.IsRightToLeft(g.r) && !pagetext.IsRightToLeft(glyphs[i-1].r):
			line = appendPair(line, i, *before, box.Rect)
		}
		before = &box.Rect
	}
	open(glyphs, line)
	return nil
}

// farBelow reports whether the distance from a down to b is larger than the width and the height of both, so that they
// are not neighbours even in text that runs downwards.
func farBelow(a, b structs.FPDF_FS_RECTF) bool {
	return a.Bottom-b.Top > max(a.Top-a.Bottom, b.Top-b.Bottom, a.Right-a.Left, b.Right-b.Left)
}

// neighbours are two glyphs without a space between them: the index of the second one, and the gap as a fraction of
// their height.
type neighbours struct {
	second int
	gap    float32
}

// appendPair returns line with the pair of two glyphs appended. a and b are the boxes of the glyphs, and second is the
// index of the second one. It appends nothing if the glyphs are not side by side.
func appendPair(line []neighbours, second int, a, b structs.FPDF_FS_RECTF) []neighbours {
	height := max(a.Top-a.Bottom, b.Top-b.Bottom)
	if height <= 0 || b.Left <= a.Left || b.Bottom >= a.Top || a.Bottom >= b.Top {
		return line
	}
	return append(line, neighbours{second, (b.Left - a.Right) / height})
}

// open adds a space before each glyph of the line whose gap is more than narrowSpace wider than the median gap of the
// line. It adds none if that median is already wider than narrowSpace: then the whole line is letter-spaced.
func open(glyphs []glyph, line []neighbours) {
	if len(line) == 0 {
		return
	}
	gaps := make([]float32, len(line))
	for i, pair := range line {
		gaps[i] = pair.gap
	}
	slices.Sort(gaps)
	usual := max(0, gaps[len(gaps)/2])
	if usual > narrowSpace {
		return
	}
	for _, pair := range line {
		glyphs[pair.second].gap = pair.gap > usual+narrowSpace
	}
}
