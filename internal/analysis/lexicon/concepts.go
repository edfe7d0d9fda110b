package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// loadConcepts reads what a text can speak of: sections as in the other lexicons, with phrases of many languages
// between commas.
func loadConcepts() *Phrases {
	x := newPhrases()
	for _, l := range Lines("concepts.lst") {
		for text := range strings.SplitSeq(l.Text, ", ") {
			for _, form := range formsOf(text) {
				x.add(l.Sections, form)
			}
		}
	}
	return x
}

// formsOf returns a phrase as texts write it: scripts that join particles to a word leave its end open, and two of them
// put articles and prepositions before it.
func formsOf(text string) []string {
	first, _ := utf8.DecodeRuneInString(text)
	var before []string
	switch {
	case unicode.Is(unicode.Arabic, first):
		before = List("Arabic particles")
	case unicode.Is(unicode.Hebrew, first):
		before = List("Hebrew particles")
	case unicode.In(first, unicode.Hangul, unicode.Devanagari):
		before = []string{""}
	default:
		return []string{text}
	}
	forms := make([]string, 0, len(before))
	for _, particle := range before {
		forms = append(forms, particle+strings.TrimSuffix(text, Stem)+Stem)
	}
	return forms
}
