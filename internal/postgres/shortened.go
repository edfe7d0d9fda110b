package postgres

import (
	"strings"
	"unicode"
)

// Shortened returns at most so many characters of a text, without those that no database or page should hold.
func Shortened(text string, most int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
	return string(runes[:min(len(runes), most)])
}
