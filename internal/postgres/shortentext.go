package postgres

import (
	"strings"
	"unicode"
)

// Shortened returns the first characters of a text, most at most. Control characters (line breaks too) and invalid
// UTF-8 are removed before, and do not count.
func Shortened(text string, most int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
	return string(runes[:min(len(runes), most)])
}
