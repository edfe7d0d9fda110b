package naming

import (
	"regexp"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// Namer finds the name of the company of a text. It is built once and may be used by many goroutines.
type Namer struct {
	words  *lexicon.Words
	picker *links.DeckPicker
	text   *text.Reader
	people *people.Finder

	domain *regexp.Regexp

	forms, titles []string // before and behind names, as Brand removes them
}

// NewNamer returns a Namer that looks words up in the lexicon. The picker distinguishes the pages of platforms from a
// company's own.
func NewNamer(
	words *lexicon.Words, picker *links.DeckPicker, reader *text.Reader, finder *people.Finder,
) *Namer {
	return &Namer{
		words: words, picker: picker, text: reader, people: finder,
		domain: regexp.MustCompile(`\b[a-z0-9][a-z0-9\-]+(?:\.[a-z0-9\-]+)*\.[a-z]{2,10}\b`),
		forms:  lexicon.List("legal forms around names"), titles: lexicon.List("titles behind names"),
	}
}

// Subject is a text with the company that it is about.
type Subject struct {
	*people.Scene

	Ranked  []CompanyName // the names that may be the company's, the best first
	Company string        // "" if no name is good enough
}

// Read ranks the names of a text and of its documents, and sets the best as the company's if it is good enough.
func (r *Namer) Read(scene *people.Scene, in analysis.Input) *Subject {
	s := &Subject{Scene: scene, Ranked: r.companyNames(scene, in, scene.Mentions)}
	if n := len(s.Ranked); n > 0 && (s.Ranked[0].score >= enough ||
		s.Ranked[0].score >= enough/2 && (n == 1 || s.Ranked[1].score < s.Ranked[0].score-1)) {
		s.Company = s.Ranked[0].text
	}
	return s
}
