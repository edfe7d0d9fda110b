package pdftext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/requests"

	"dealflow/internal/pdftext/pagetext"
)

// maxMended is how many characters a page may have for its text to be assembled from single characters; for longer
// pages PDFium's text is used unchanged. A slide has a few hundred characters.
const maxMended = 20_000

// alwaysMeasured is how many characters a page may have for the gaps between its letters to be measured in any case:
// with so few words, joined ones would not be noticed.
const alwaysMeasured = 300

func (t textPage) read() (string, error) {
	if t.chars <= 0 {
		return "", nil
	}
	whole, err := t.pdfium.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: t.text, Count: t.chars})
	if err != nil {
		return "", err
	}
	switch text := whole.Text; {
	case t.chars > maxMended:
		return text, nil
	case clusters(text):
		if written, ok, err := t.asWritten(); ok || broken(err) {
			return written, err
		}
		return text, nil
	case strings.ContainsRune(text, utf8.RuneError), strings.ContainsFunc(text, pagetext.IsRightToLeft),
		letterSpaced(text),
		t.chars <= alwaysMeasured, pagetext.MayGlueWords(text), doubled(text):
		return t.byCharacter()
	default:
		return text, nil
	}
}

// byCharacter returns the text of a page with repairs of what PDFium reads wrongly: right-to-left words, spaced-out
// letters, narrow spaces, letters that are drawn twice, and characters that UTF-16 writes in two halves, which PDFium
// takes for two characters and leaves out.
func (t textPage) byCharacter() (string, error) {
	glyphs := make([]glyph, t.chars)
	for i := range glyphs {
		r, err := t.pdfium.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: t.text, Index: i})
		if err != nil {
			return "", err
		}
		glyphs[i].r = rune(r.Unicode) //nolint:gosec // a code point
	}
	joinHalves(glyphs)
	for _, repair := range []func([]glyph) error{t.dropCopies, t.openGaps, t.orderRightToLeft, t.closeUp} {
		if err := repair(glyphs); err != nil {
			return "", err
		}
	}
	text := make([]rune, 0, len(glyphs))
	for _, g := range glyphs {
		if g.gap {
			text = append(text, ' ')
		}
		if g.r != 0 {
			text = append(text, g.r)
		}
	}
	return string(text), nil
}

// joinHalves replaces, in place, each pair of UTF-16 surrogates by the character that they encode and a glyph that is
// left out.
func joinHalves(glyphs []glyph) {
	for i := range len(glyphs) - 1 {
		if whole := utf16.DecodeRune(glyphs[i].r, glyphs[i+1].r); whole != unicode.ReplacementChar {
			glyphs[i].r, glyphs[i+1].r = whole, 0
		}
	}
}

// orderRightToLeft puts, in place, the letters of each right-to-left word in reading order, and the marks at the ends
// of figures among such words at the other end (see orderMarks). PDFium makes two mistakes: it leaves the letters of
// some words in the order from left to right in which a program wrote them, and it reverses the letters of a ligature,
// which are all at the same point.
func (t textPage) orderRightToLeft(glyphs []glyph) error {
	for i := range glyphs {
		if !pagetext.IsRightToLeft(glyphs[i].r) && !besideRightToLeft(glyphs, i) {
			continue
		}
		o, err := t.pdfium.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: t.text, Index: i})
		if broken(err) {
			return err
		}
		if err == nil {
			glyphs[i].at = &point{o.X, o.Y}
		}
	}
	orderMarks(glyphs)
	eachRun(glyphs, func(a, b glyph) bool { return isLocated(a) && isLocated(b) && !b.gap }, orderWord)
	return nil
}

// isLocated reports whether a glyph is a right-to-left letter whose point is known.
func isLocated(g glyph) bool { return g.at != nil && pagetext.IsRightToLeft(g.r) }

func orderWord(word []glyph) {
	if first, last := word[0].at, word[len(word)-1].at; first != nil && first.x < last.x {
		slices.Reverse(word)
		eachRun(word, atOnePoint, lamFirst)
		return
	}
	eachRun(word, atOnePoint, func(letters []glyph) {
		if letters[0].r != lam { // else PDFium has spelled the ligature out itself
			slices.Reverse(letters)
		}
	})
}

func atOnePoint(a, b glyph) bool { return a.at != nil && b.at != nil && *a.at == *b.at }

// lam is the letter that most ligatures begin with, and hardly any end with.
const lam = 'ل'

func lamFirst(letters []glyph) {
	if letters[len(letters)-1].r == lam {
		slices.Reverse(letters)
	}
}
