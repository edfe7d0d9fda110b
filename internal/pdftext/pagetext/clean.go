package pagetext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Clean returns the raw text of a page in NFKC: lines separated by \n, without spaces at their ends or two spaces in a
// row, at most one blank line in a row and none at the beginning or end. The result has no other control characters; a
// word that the end of a line divides has a mark, which Join removes.
func Clean(raw string) string {
	if hasCodes(raw) {
		raw = strings.Map(withoutCodes, raw)
	}
	return tidy(raw)
}

func tidy(raw string) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(raw, " "), "\r\n", "\n")
	text = strings.ReplaceAll(text, "\u00ad\n", "") // a soft hyphen, which is no part of the word
	text = norm.NFKC.String(strings.Map(plain, unpaired(unsplit(ligatures(text)))))
	var out strings.Builder
	blank := 0
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" {
			blank++
			continue
		}
		if out.Len() > 0 {
			out.WriteString(strings.Repeat("\n", 1+min(blank, 1)))
		}
		out.WriteString(line)
		blank = 0
	}
	return divide(out.String())
}

// CleanLine is Clean for a title, which becomes one line: line breaks become spaces, and marks of divided words
// hyphens.
func CleanLine(raw string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(tidy(raw)), " "), string(division), "-")
}

// maxCodes is the percentage of a page's characters that may be control characters, not counting white space and TeX's
// ligatures. If there are more, they are numbers of glyphs in a font that does not say what its glyphs mean.
const maxCodes = 5

// hasCodes reports whether more than maxCodes percent of a page's characters are numbers of glyphs of unknown meaning.
// It returns false for an empty page.
func hasCodes(text string) bool {
	found, all := 0, 0
	for _, r := range text {
		all++
		if isCode(r) && !isLigature(r) {
			found++
		}
	}
	return found*100 > maxCodes*all
}

func isCode(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }

// withoutCodes is a mapping for strings.Map. It maps control characters, which are numbers of glyphs here, to spaces:
// the most frequent of these glyphs is usually the space. White space stays.
func withoutCodes(r rune) rune {
	if isCode(r) {
		return ' '
	}
	return r
}

// plain is a mapping for strings.Map. Line breaks become newlines; other white space, U+FFFD and characters for private
// use become spaces; U+0002 and U+FFFE, PDFium's marks for a hyphen at the end of a line, become a division. Other
// control and format characters, such as soft hyphens, and noncharacters are dropped, except joiners.
func plain(r rune) rune {
	switch {
	case r == '\r', r == '\n', r == '\f', r == '\v', r == '\u0085', r == '\u2028', r == '\u2029':
		return '\n'
	case r == '\u0002', r == '\ufffe': // PDFium's mark for a hyphen at the end of a line, which it joins with the next
		return division
	case r == '\u200c', r == '\u200d': // joiners belong to the spelling of some scripts
		return r
	case unicode.IsSpace(r), r == unicode.ReplacementChar, unicode.Is(unicode.Co, r):
		return ' '
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Noncharacter_Code_Point):
		return -1
	}
	return r
}

// ligatures replaces the codes of ligatures in TeX's T1 encoding by letters. TeX's bitmap fonts have no names for these
// glyphs, so that their codes end up in the text.
func ligatures(text string) string {
	if !strings.ContainsFunc(text, isLigature) {
		return text
	}
	return strings.NewReplacer("\x1b", "ff", "\x1c", "fi", "\x1d", "fl", "\x1e", "ffi", "\x1f", "ffl").Replace(text)
}

func isLigature(r rune) bool { return '\x1b' <= r && r <= '\x1f' }

// unsplit corrects ligatures of which some versions of Ghostscript swap the bytes, so that "fl" comes out as two
// Chinese characters. It corrects only those with a Latin letter right before or after them.
func unsplit(text string) string {
	if !strings.ContainsRune(text, '昀') {
		return text
	}
	runes := []rune(text)
	var out strings.Builder
	for i := 0; i < len(runes); i++ {
		next := rune(0)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		tail, known := swapped(next)
		if runes[i] != '昀' || !known || !besideLatin(runes, i, i+2) {
			out.WriteRune(runes[i])
			continue
		}
		out.WriteString("f" + tail)
		i++
	}
	return out.String()
}

// swapped returns the letters after the f of a ligature whose bytes were swapped, such as "i" of "fi", and true, if r
// is the second character of such a ligature: the sum of the codes of these letters, times 256. Otherwise it returns ""
// and false.
func swapped(r rune) (string, bool) {
	switch r {
	case 'f' << 8:
		return "f", true
	case 'i' << 8:
		return "i", true
	case 'l' << 8:
		return "l", true
	case ('f' + 'i') << 8:
		return "fi", true
	case ('f' + 'l') << 8:
		return "fl", true
	}
	return "", false
}

func besideLatin(runes []rune, start, end int) bool {
	return start > 0 && unicode.Is(unicode.Latin, runes[start-1]) ||
		end < len(runes) && unicode.Is(unicode.Latin, runes[end])
}

// leastPaired is how many Korean syllables a page must have before they are taken for Cyrillic letters (see unpaired):
// in no Korean text do so many syllables all begin with the same few sounds.
const leastPaired = 8

// unpaired corrects Cyrillic text whose font states the meaning of its glyphs in UTF-8 instead of UTF-16, so that each
// letter is read as a Korean syllable: "킿" for "п", which is D0 BF in UTF-8. It returns a text with fewer than
// leastPaired such syllables, or with other Korean ones, unchanged.
func unpaired(text string) string {
	paired := 0
	for _, r := range text {
		if _, is := cyrillic(r); is {
			paired++
		} else if unicode.Is(unicode.Hangul, r) {
			return text
		}
	}
	if paired < leastPaired {
		return text
	}
	return strings.Map(func(r rune) rune {
		if letter, is := cyrillic(r); is {
			return letter
		}
		return r
	}, text)
}

// cyrillic returns the letter whose UTF-8 form has the two bytes of the code point r, as D0 BF for U+D0BF. is is false
// if there is no such letter.
func cyrillic(r rune) (letter rune, is bool) {
	if r>>8 != 0xD0 && r>>8 != 0xD1 {
		return 0, false
	}
	letter, size := utf8.DecodeRune([]byte{byte(r >> 8), byte(r)}) //nolint:gosec // two bytes
	return letter, size == 2
}
