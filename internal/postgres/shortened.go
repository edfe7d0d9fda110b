package postgres

import (
	"strings"
	"unicode"
)

// Shortened returns the first characters of a text, at most so many, without those that a database cannot store or a
// page should not show.
func Shortened(text string, most int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
	return string(runes[:min(len(runes), most)])
}
