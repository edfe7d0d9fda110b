package pdftext

import (
	"slices"
	"unicode"

	"github.com/klippa-app/go-pdfium/requests"
)

// doubled reports whether a word has three pairs of equal letters in a row, as "gguueesstt" has.
func doubled(text string) bool {
	var last [6]rune
	for _, r := range text {
		copy(last[:], last[1:])
		last[5] = r
		if r == last[4] && last[2] == last[3] && last[0] == last[1] && !slices.ContainsFunc(last[:], isNoLetter) {
			return true
		}
	}
	return false
}

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) }

// dropCopies removes, by setting r to 0, letters that are drawn again over themselves in another size or font, for
// example as a shadow or an outline. PDFium removes only copies of the same size. The letters of a ligature, which are
// also at one point, have the same height. It must run before any step that moves glyphs, since it uses the index of a
// glyph as the index of its character on the page.
func (t textPage) dropCopies(glyphs []glyph) error {
	for i := 1; i < len(glyphs); i++ {
		if glyphs[i].r != glyphs[i-1].r || !unicode.IsLetter(glyphs[i].r) {
			continue
		}
		copied, err := t.isCopy(i)
		if broken(err) {
			return err
		}
		if copied && err == nil {
			glyphs[i].r = 0
		}
	}
	return nil
}

// isCopy reports whether a character is at the same point as the one before and has another height.
func (t textPage) isCopy(i int) (bool, error) {
	a, err := t.pdfium.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: t.text, Index: i - 1})
	if err != nil {
		return false, err
	}
	b, err := t.pdfium.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: t.text, Index: i})
	if err != nil || a.X != b.X || a.Y != b.Y {
		return false, err
	}
	before, now, err := t.boxes(i-1, i)
	return before.Top != now.Top || before.Bottom != now.Bottom, err
}
