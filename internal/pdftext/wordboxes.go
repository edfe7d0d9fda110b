package pdftext

import (
	"errors"
	"fmt"
	"unicode"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// finest is the number of units into which a page's width and height are divided to measure positions.
const finest = 10_000

// words returns the words of page i, which counts from 0: those in its first maxMended characters.
func (p *pdfiumReader) words(doc references.FPDF_DOCUMENT, i int) ([]Word, error) {
	loaded, err := p.now.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: i})
	if err != nil {
		return nil, err
	}
	page, _, err := p.drawn(doc, i, loaded.Page)
	if err != nil {
		return nil, err
	}
	whole := requests.Page{ByReference: &page}
	text, err := p.now.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: whole})
	if err != nil {
		return nil, err
	}
	count, err := p.now.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text.TextPage})
	if err != nil {
		return nil, err
	}
	found, err := textPage{pdfium: p.now, page: whole, text: text.TextPage, chars: min(count.Count, maxMended)}.words()
	if broken(err) {
		return nil, err
	}
	_, textErr := p.now.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage})
	_, pageErr := p.now.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page})
	return found, errors.Join(err, textErr, pageErr)
}

// words returns the words of a page: a word is a run of visible characters, up to white space or a control character.
func (t textPage) words() (words []Word, err error) {
	var now Word
	for i := range t.chars {
		r, err := t.pdfium.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: t.text, Index: i})
		if err != nil {
			return nil, err
		}
		letter := rune(r.Unicode) //nolint:gosec // a code point
		if !unicode.IsGraphic(letter) || unicode.IsSpace(letter) {
			words, now = keep(words, now), Word{}
			continue
		}
		box, err := t.box(i)
		if err != nil {
			return nil, err
		}
		if now.Text != "" {
			box.Left, box.Right = min(box.Left, now.Left), max(box.Right, now.Right)
			box.Top, box.Bottom = min(box.Top, now.Top), max(box.Bottom, now.Bottom)
		}
		box.Text = now.Text + string(letter)
		now = box
	}
	return keep(words, now), nil
}

func keep(words []Word, one Word) []Word {
	if one.Text == "" {
		return words
	}
	return append(words, one)
}

// box returns where a character is on the picture of its page.
func (t textPage) box(i int) (Word, error) {
	at, err := t.pdfium.FPDFText_GetCharBox(&requests.FPDFText_GetCharBox{TextPage: t.text, Index: i})
	if err != nil {
		return Word{}, err
	}
	ax, ay, err := t.onPicture(at.Left, at.Top)
	if err != nil {
		return Word{}, err
	}
	bx, by, err := t.onPicture(at.Right, at.Bottom)
	return Word{Left: min(ax, bx), Top: min(ay, by), Right: max(ax, bx), Bottom: max(ay, by)}, err
}

// onPicture converts a point of the page, in points from its lower left corner, to a point of the page's picture, as
// shares from 0 to 1 of its width and height from its upper left corner. The page may be rotated and cropped. A point
// outside of the picture is moved to its edge.
func (t textPage) onPicture(x, y float64) (across, down float64, err error) {
	at, err := t.pdfium.FPDF_PageToDevice(&requests.FPDF_PageToDevice{
		Page: t.page, SizeX: finest, SizeY: finest, PageX: x, PageY: y,
	})
	if err != nil {
		return 0, 0, fmt.Errorf("locate a character: %w", err)
	}
	return part(at.DeviceX), part(at.DeviceY), nil
}

func part(of int) float64 { return float64(min(max(of, 0), finest)) / finest }
