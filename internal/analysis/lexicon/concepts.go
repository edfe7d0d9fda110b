package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// loadConcepts reads concepts.lst, the concepts that a text can mention: sections as in the other files, but with
// several phrases on a line, separated by commas.
func loadConcepts() *Phrases {
	x := newPhrases()
	for _, l := range Lines("concepts.lst") {
		for text := range strings.SplitSeq(l.Text, ", ") {
			for _, form := range formsOf(text) {
				x.add(l.Sections, form)
			}
		}
	}
	x.Whole = nil // concepts are only looked for inside texts, and there are more of them than of all other phrases
	return x
}

// formsOf returns the forms in which texts write a phrase. In Korean, Devanagari, Arabic and Hebrew, particles are
// joined to the end of a word, so its end is left open. In Arabic and Hebrew, articles and prepositions are also joined
// to its beginning: each gives another form.
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
