package pdftext

import (
	"slices"
	"strings"
	"unicode"

	"dealflow/internal/pdftext/pagetext"
)

// isMark reports whether a character is a mark between words that has no direction of its own, but that of the words
// around it.
func isMark(r rune) bool { return r != 0 && strings.ContainsRune(":;,.-/", r) }

// besideRightToLeft reports whether glyph i is a digit or a mark, and next to a right-to-left letter.
func besideRightToLeft(glyphs []glyph, i int) bool {
	return inFigure(glyphs[i].r) && (i > 0 && pagetext.IsRightToLeft(glyphs[i-1].r) ||
		i+1 < len(glyphs) && pagetext.IsRightToLeft(glyphs[i+1].r))
}

func inFigure(r rune) bool { return unicode.IsDigit(r) || isMark(r) }

// orderMarks moves, in place, the marks at each end of a figure in right-to-left text to the other end. PDFium reads
// them with the figure, from left to right, so that "name:" before "11" becomes "name11:".
func orderMarks(glyphs []glyph) {
	for start := 0; start < len(glyphs); {
		end := start
		for end < len(glyphs) && inFigure(glyphs[end].r) {
			end++
		}
		if end > start && leftwards(glyphs, start, end) {
			turnMarks(glyphs[start:end])
		}
		start = max(end, start+1)
	}
}

// leftwards reports whether glyphs[start:end] is next to a right-to-left letter and in reading order from right to
// left: to the left of a letter before it, or to the right of a letter after it.
func leftwards(glyphs []glyph, start, end int) bool {
	follows := func(a, b int) bool {
		return glyphs[a].at != nil && glyphs[b].at != nil && glyphs[a].at.y == glyphs[b].at.y &&
			glyphs[b].at.x < glyphs[a].at.x
	}
	return start > 0 && pagetext.IsRightToLeft(glyphs[start-1].r) && follows(start-1, start) ||
		end < len(glyphs) && pagetext.IsRightToLeft(glyphs[end].r) && follows(end-1, end)
}

// turnMarks swaps, in place, the marks before a figure with those after it, and reverses the order of both. It changes
// nothing if there are only marks.
func turnMarks(figure []glyph) {
	first := slices.IndexFunc(figure, func(g glyph) bool { return !isMark(g.r) })
	if first < 0 {
		return
	}
	last := len(figure)
	for isMark(figure[last-1].r) {
		last--
	}
	before, after := slices.Clone(figure[:first]), slices.Clone(figure[last:])
	slices.Reverse(before)
	slices.Reverse(after)
	copy(figure, slices.Concat(after, figure[first:last], before))
}
