package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// loadConcepts reads concepts.lst, the concepts that a text can mention. Each concept is one section; a line may have
// several phrases, separated by commas. Exact finds none of these phrases.
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

// formsOf returns the forms in which texts may write a phrase. In most scripts there is only the phrase itself. In
// Korean, Devanagari, Arabic and Hebrew, particles are joined to the end of a word, so each form ends with Stem. In
// Arabic and Hebrew, articles and prepositions are also joined to the beginning of a word: there is a form with each of
// them, and one with none.
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
