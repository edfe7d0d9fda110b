package pdftext

import (
	"slices"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/requests"
)

const (
	spacedRun = 4    // single letters in a row that make a spaced-out word
	columnGap = 0.8  // of the type size: letters further apart are columns
	wordGap   = 0.15 // of the type size: what a space adds to the gap between letters
)

// span is a range of a page's characters, from start up to, not including, end.
type span struct{ start, end int }

// letterSpaced reports whether several single letters follow each other in a line, which means that its letters are
// spaced out.
func letterSpaced(text string) bool { return len(spacedRuns([]rune(text))) > 0 }

// spacedRuns finds the runs of single letters, separated by one space each, that are spaced-out text. It returns, for
// each run, the spans of its letters. Ligatures may be among them if most are letters.
func spacedRuns(text []rune) [][]span {
	var runs [][]span
	var run []span
	ligatures := 0
	end := func() {
		if len(run) >= spacedRun && 2*ligatures < len(run) {
			runs = append(runs, run)
		}
		run, ligatures = nil, 0
	}
	for _, word := range words(text) {
		if len(run) > 0 && !oneSpace(text[run[len(run)-1].end:word.start]) {
			end()
		}
		if !single(text[word.start:word.end]) {
			end()
			continue
		}
		run = append(run, word)
		if word.end-word.start > 1 {
			ligatures++
		}
	}
	end()
	return runs
}

func words(text []rune) []span {
	var found []span
	start := -1
	for i := 0; i <= len(text); i++ {
		space := i == len(text) || unicode.IsSpace(text[i])
		if !space && start < 0 {
			start = i
		}
		if space && start >= 0 {
			found = append(found, span{start, i})
			start = -1
		}
	}
	return found
}

func oneSpace(between []rune) bool { return len(between) == 1 && between[0] == ' ' }

// single reports whether a word is one character, or the two or three that a ligature is written as.
func single(word []rune) bool {
	return len(word) == 1 || len(word) <= 3 && strings.Trim(string(word), "fil") == ""
}

// closeUp removes, by setting r to 0, the spaces within spaced-out words, and keeps the wider ones between words. Like
// dropCopies, it uses the index of a glyph as the index of its character on the page.
func (t textPage) closeUp(glyphs []glyph) error {
	text := make([]rune, len(glyphs))
	for i, g := range glyphs {
		text[i] = g.r
	}
	for _, run := range spacedRuns(text) {
		gaps, size, err := t.gaps(run)
		if broken(err) {
			return err
		}
		if err != nil {
			continue
		}
		usual := slices.Sorted(slices.Values(gaps))[len(gaps)/2]
		for i, gap := range gaps {
			if usual < columnGap*size && gap < usual+wordGap*size {
				glyphs[run[i].end].r = 0
			}
		}
	}
	return nil
}

// gaps returns the widths of the spaces between neighbouring words of a run, and the size of its largest letter, in
// points.
func (t textPage) gaps(run []span) (gaps []float64, size float64, err error) {
	var right float64
	for i, word := range run {
		first, err := t.pdfium.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{
			TextPage: t.text, Index: word.start,
		})
		if err != nil {
			return nil, 0, err
		}
		if i > 0 {
			gaps = append(gaps, float64(first.Rect.Left)-right)
		}
		last, err := t.pdfium.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{
			TextPage: t.text, Index: word.end - 1,
		})
		if err != nil {
			return nil, 0, err
		}
		right = float64(last.Rect.Right)
		size = max(size, float64(last.Rect.Top-last.Rect.Bottom))
	}
	return gaps, size, nil
}
