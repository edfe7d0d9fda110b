package text

import (
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
)

// MarkBefore returns the last character before byte at that is not a space: "w" for any letter or digit, "^" if there
// is none, at the beginning of the body.
func MarkBefore(body string, at int) string {
	before := strings.TrimRight(body[:at], " ")
	if before == "" {
		return "^"
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	if lexicon.IsWordRune(last) {
		return "w"
	}
	return string(last)
}

// MarkAfter returns the first character from byte at on that is not a space: "w" for any letter or digit, "$" if there
// is none in the next 40 bytes or before the end of the body.
func MarkAfter(body string, at int) string {
	rest := strings.TrimLeft(body[at:min(len(body), at+40)], " ")
	if rest == "" {
		return "$"
	}
	first, _ := utf8.DecodeRuneInString(rest)
	if lexicon.IsWordRune(first) {
		return "w"
	}
	return string(first)
}
