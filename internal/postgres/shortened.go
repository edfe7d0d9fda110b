package postgres

import (
	"strings"
	"unicode"
)

// Shortened returns the first characters of a text, up to most of them, without control characters and invalid UTF-8.
func Shortened(text string, most int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
	return string(runes[:min(len(runes), most)])
}
