package pagetext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// division marks a word that the end of a line divides, until the whole document shows whether the hyphen belongs to
// the word. Clean text does not contain it otherwise.
const division = '\u00ad'

// divide replaces each hyphen at the end of a line within a word (see isDivided), with the line break, by a division,
// and each division that is not within a word by a hyphen.
func divide(text string) string {
	if !strings.Contains(text, "-\n") && !strings.Contains(text, "‐\n") && !strings.ContainsRune(text, division) {
		return text
	}
	runes := []rune(text)
	var out strings.Builder
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == division && !isDivided(runes[:i], runes[i+1:]):
			out.WriteByte('-')
		case (r == '-' || r == '‐') && i+1 < len(runes) && runes[i+1] == '\n' && isDivided(runes[:i], runes[i+2:]):
			out.WriteRune(division)
			i++
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// isDivided reports whether a hyphen between before and after may divide a word: before ends with a letter, and after
// begins with a lower-case one. A capital begins a new word, as in a list of names.
func isDivided(before, after []rune) bool {
	return len(before) > 0 && len(after) > 0 && unicode.IsLetter(before[len(before)-1]) && unicode.IsLower(after[0])
}

// Join returns the pages of a document with each division replaced by a hyphen or by nothing. Case does not count.
//
// A word keeps its hyphen if it has another one before, if "/" or "@" precedes the division, as in a URL, or if the
// document has the word more often with the hyphen than without. Otherwise it loses the hyphen if the document has it
// without. It also loses it if the document has at least one of the divided words without a hyphen, but does not have
// both halves of this one as words. All others keep it, such as "real-time".
func Join(pages []string) []string {
	halves := allHalves(pages)
	if len(halves) == 0 {
		return pages
	}
	known := vocabulary(pages, halves)
	divides := slices.ContainsFunc(halves, func(h half) bool { return known[h.left+h.right] > 0 })
	joined := make([]string, len(pages))
	for i, page := range pages {
		var out strings.Builder
		for n, piece := range strings.Split(page, string(division)) {
			if n > 0 {
				out.WriteString(halves[0].hyphen(known, divides))
				halves = halves[1:]
			}
			out.WriteString(piece)
		}
		joined[i] = out.String()
	}
	return joined
}

// half is a word that a division cuts into a left and a right half.
type half struct {
	left, right string // in lower-case letters
	address     bool   // part of a URL or email address, in which a hyphen is never a division
}

func allHalves(pages []string) (halves []half) {
	for _, page := range pages {
		for i, r := range page {
			if r == division {
				halves = append(halves, halfAt(page[:i], page[i+utf8.RuneLen(division):]))
			}
		}
	}
	return halves
}

func halfAt(before, after string) half {
	left := before[lastIndex(before, func(r rune) bool { return !inWord(r) || r == division }):]
	end := strings.IndexFunc(after, func(r rune) bool { return !inWord(r) || r == division || r == '-' })
	if end < 0 {
		end = len(after)
	}
	token := before[lastIndex(before, unicode.IsSpace):]
	return half{strings.ToLower(left), strings.ToLower(after[:end]), strings.ContainsAny(token, "/@")}
}

// lastIndex returns the index after the last character of a text for which gap is true, or 0.
func lastIndex(text string, gap func(rune) bool) int {
	i := strings.LastIndexFunc(text, gap)
	if i < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(text[i:])
	return i + size
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || r == '-' || r == division
}

// vocabulary counts how often the pages have each half, and each word that two halves make, with and without a hyphen.
// Its keys are in lower case; other words are not in it.
func vocabulary(pages []string, halves []half) map[string]int {
	known := map[string]int{}
	for _, h := range halves {
		for _, word := range []string{h.left, h.right, h.left + h.right, h.left + "-" + h.right} {
			known[word] = 0
		}
	}
	for _, page := range pages {
		for word := range strings.FieldsFuncSeq(strings.ToLower(page), func(r rune) bool { return !inWord(r) }) {
			if _, matters := known[word]; matters {
				known[word]++
			}
		}
	}
	return known
}

// hyphen returns what belongs between the halves, a hyphen or nothing; see Join.
func (h half) hyphen(known map[string]int, divides bool) string {
	whole, hyphened := known[h.left+h.right], known[h.left+"-"+h.right]
	switch {
	case h.address, strings.Contains(h.left, "-"), hyphened > whole:
		return "-"
	case whole > 0, divides && (known[h.left] == 0 || known[h.right] == 0):
		return ""
	}
	return "-"
}
