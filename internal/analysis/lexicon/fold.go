package lexicon

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the text in lower case and without accents, in the composed form (NFC). It replaces "ß" by "ss", and
// "ı", "ł" and "ø" by "i", "l" and "o". It drops combining marks, except those of Japanese Kana and spacing ones.
func Fold(text string) string {
	if isSmallASCII(text) {
		return text
	}
	if IsPlainASCII(text) {
		return strings.ToLower(text)
	}
	var out strings.Builder // empty while the result is equal to the text
	letters := foldedLetters()
	for i, r := range text {
		var folded string
		switch {
		case foldsAlone(r):
			folded = letters[r]
		case foldsToItself(r):
			folded = text[i : i+utf8.RuneLen(r)]
		default:
			return foldAny(text)
		}
		if out.Cap() == 0 {
			if len(folded) == utf8.RuneLen(r) && text[i:i+len(folded)] == folded {
				continue
			}
			out.Grow(len(text))
			out.WriteString(text[:i])
		}
		out.WriteString(folded)
	}
	if out.Cap() == 0 {
		return text
	}
	return out.String()
}

// foldedTable is the character after the last one for which foldedLetters has a folded form.
const foldedTable = 0x0e80

// foldsAlone reports whether the folded form of a character does not depend on the characters beside it. These are the
// characters of Europe, Hebrew, Arabic, Devanagari and Thai; between the last two are scripts whose characters join.
func foldsAlone(r rune) bool { return r < 0x0980 || r >= 0x0e00 && r < foldedTable }

//nolint:gochecknoglobals // a table that never changes
var foldedLetters = sync.OnceValue(func() *[foldedTable]string {
	var letters [foldedTable]string
	for r := range letters {
		letters[r] = foldAny(string(rune(r)))
	}
	return &letters
})

// foldsToItself reports whether a character is known to be unchanged by Fold: a punctuation mark, Kana, a Chinese
// character or a Korean syllable. It reports false for some others that Fold does not change.
func foldsToItself(r rune) bool {
	return r >= 0x2010 && r <= 0x205e || r >= 0x3001 && r <= 0x3029 || r >= 0x3041 && r <= 0x3096 ||
		r >= 0x30a1 && r <= 0x30fe || r >= 0x4e00 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7a3
}

// foldAny returns what Fold does, for a text of any script, without the faster ways that Fold tries first.
func foldAny(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	for _, r := range norm.NFD.String(strings.ToLower(text)) {
		switch {
		case r == 'ß':
			out.WriteString("ss")
		case r == 'ı':
			out.WriteByte('i')
		case r == 'ł':
			out.WriteByte('l')
		case r == 'ø':
			out.WriteByte('o')
		case !unicode.Is(unicode.Mn, r) || r >= 0x3040 && r < 0x3100:
			out.WriteRune(r)
		}
	}
	return norm.NFC.String(out.String())
}
