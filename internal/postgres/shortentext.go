package postgres

import (
	"strings"
	"unicode"
)

// Shortened returns a text without control characters, line breaks included, and without invalid UTF-8. The result has
// at most as many characters as most says; the rest is cut off.
func Shortened(text string, most int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
	return string(runes[:min(len(runes), most)])
}
