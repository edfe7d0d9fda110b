package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/clean"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// shown is the part of an input that fits the budget of tokens. remark is a sentence for people on what was left out,
// "" if nothing was.
type shown struct {
	text      string
	documents []modelDocument
	remark    string
}

// The shares of the budget. A text that is too long keeps its beginning, where the pitch is, and its end, where people
// sign.
const (
	textOfAll     = 0.7  // if there are pages too
	endOfText     = 0.25 // of the part that is kept of a text that is too long
	longestPage   = 1000 // tokens
	longestSample = 120  // characters of file names and titles
)

// fitting fills the budget of tokens with the text first, then with pages in turns: the first page of each document,
// the deck's first, then the second of each, and so on. deck is the ID of the deck, "" if it is unknown. If there are
// documents, the text has at most textOfAll of the budget. From a text that is too long the middle is removed, a page
// is cut to longestPage tokens, and pages for which no tokens are left are omitted. Sentences that only instruct
// software are replaced by spaces.
func fitting(in analysis.Input, deck string, budget int, g text.Guard) shown {
	var s shown
	share := budget
	if len(in.Documents) > 0 {
		share = int(float64(budget) * textOfAll)
	}
	text := readable(in.Text)
	all := tokensOf(text)
	if all > share {
		head := firstTokens(text, int(float64(share)*(1-endOfText)))
		text = head + "\n[…]\n" + lastTokens(text[len(head):], int(float64(share)*endOfText))
	}
	s.text = g.WithoutInstructions(text)
	left := budget - min(all, share)
	documents, pages, taken := turns(in, deck, left, g)
	s.documents = documents
	s.remark = remarkOn(all > share, taken, pages)
	return s
}

func remarkOn(textCut bool, taken, pages int) string {
	var what []string
	if textCut {
		what = append(what, "the beginning and the end of the text")
	}
	if taken < pages {
		what = append(what, fmt.Sprintf("%d of %d pages", taken, pages))
	}
	if len(what) == 0 {
		return ""
	}
	return "To keep to its budget the model was shown " + strings.Join(what, " and ") + "."
}

// turns returns all documents, in the order of the input, with as many of their pages as left tokens allow: the first
// page of each document, then the second of each, and so on. In each turn the deck, the document with the ID deck,
// comes first. A page is cut to longestPage tokens. pages is the number of all pages, taken the number of those
// returned.
func turns(in analysis.Input, deck string, left int, g text.Guard) (documents []modelDocument, pages, taken int) {
	documents = make([]modelDocument, len(in.Documents))
	order := make([]int, 0, len(in.Documents))
	longest := 0
	for i, d := range in.Documents {
		documents[i] = modelDocument{
			ID: short("d", i), FileName: lexicon.Cut(d.FileName, longestSample), Title: lexicon.Cut(d.Title, longestSample),
			Count: len(d.Pages), Pages: []modelPage{},
		}
		pages, longest = pages+len(d.Pages), max(longest, len(d.Pages))
		if d.ID == deck {
			order = slices.Insert(order, 0, i)
		} else {
			order = append(order, i)
		}
	}
	for p := 0; p < longest && left > 0; p++ {
		for _, i := range order {
			if p >= len(in.Documents[i].Pages) || left <= 0 {
				continue
			}
			page := g.WithoutInstructions(in.Documents[i].Pages[p])
			page = firstTokens(strings.TrimSpace(page), min(left, longestPage))
			documents[i].Pages = append(documents[i].Pages, modelPage{Page: p + 1, Text: page})
			left -= max(1, tokensOf(page))
			taken++
		}
	}
	return documents, pages, taken
}

// readable returns a text decoded from quoted-printable and HTML, since their markup would only cost tokens. It returns
// any other text as it was sent.
func readable(content string) string {
	if clean.LooksQuotedPrintable(content) {
		content = clean.DecodeQuotedPrintable(content)
	}
	if clean.LooksLikeHTML(text.Head(content)) {
		content = clean.HtmlText(content)
	}
	return content
}

// tokensOf estimates how many tokens a text has: a character of ASCII is a quarter of a token, one of another alphabet
// a half, and one from U+2E80 on, such as a Chinese, Japanese or Korean one, a whole token. Servers count slightly
// differently, so the budget is not exact.
func tokensOf(text string) int {
	quarters := 0
	for _, r := range text {
		quarters += weightOf(r)
	}
	return (quarters + 3) / 4
}

func weightOf(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return 1
	case r < 0x2E80:
		return 2
	}
	return 4
}

// firstTokens returns the longest beginning of a text that does not have more tokens than most. It is cut at a line end
// if one is in its last quarter.
func firstTokens(text string, most int) string {
	quarters := 4 * most
	for i, r := range text {
		if quarters -= weightOf(r); quarters < 0 {
			if end := strings.LastIndexByte(text[:i], '\n'); end > i*3/4 {
				return text[:end]
			}
			return text[:i]
		}
	}
	return text
}

// lastTokens returns the longest end of a text that does not have more tokens than most.
func lastTokens(text string, most int) string {
	quarters, at := 4*most, len(text)
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if quarters -= weightOf(r); quarters < 0 {
			break
		}
		at -= size
	}
	return text[at:]
}

func sortedNames(members map[string]any) []string { return slices.Sorted(maps.Keys(members)) }
