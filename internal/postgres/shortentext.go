package postgres

import (
	"strings"
	"unicode"
)

// Shortened removes control characters and invalid UTF-8 from a text, and returns at most its first most characters.
func Shortened(text string, most int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
	return string(runes[:min(len(runes), most)])
}
