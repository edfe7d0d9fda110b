// Package blank decides which texts have nothing that can be seen. A name of such a text would be a link that nobody
// can find.
package blank

import (
	"strings"
	"unicode"
)

// Trim returns text without the white space around it, and "" if the text is blank. It keeps other invisible characters
// of a text that is not blank: some change how letters are drawn or in which direction they run.
func Trim(text string) string {
	if Is(text) {
		return ""
	}
	return strings.TrimSpace(text)
}

// Is reports whether a text is empty or consists only of white space and other characters that nobody can see.
func Is(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !isInvisible(r) }) < 0
}

// isInvisible reports whether nothing is drawn for a character by itself.
func isInvisible(r rune) bool {
	const brailleBlank = '\u2800'
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) { // signs above or below numbers
		return false
	}
	return r == brailleBlank || unicode.IsSpace(r) || unicode.IsControl(r) ||
		unicode.In(r, unicode.Z, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
