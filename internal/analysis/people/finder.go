package people

import (
	"regexp"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// Finder finds the people of a text. It is built once and may be used by many goroutines.
type Finder struct {
	words *lexicon.Words
	text  *text.Reader

	capitals *regexp.Regexp // a run of capitalized words
	phone    *regexp.Regexp
	cjk      cjkPatterns
}

// NewFinder returns a Finder that looks words up in the lexicon, and learns from the reader which hosts are mail
// providers.
func NewFinder(words *lexicon.Words, reader *text.Reader) *Finder {
	word := `(?:(?:Dr|Prof|St|Ste)\.|(?:\p{Lu}[\p{L}\p{M}\d]*|\d+\p{Lu}\p{L}*|\p{Ll}{1,2}\p{Lu}[\p{L}\p{M}]+)` +
		`(?:['’.\-][\p{L}\p{M}\d]+)*|\p{Lu}\.)`
	joint := ` (?:(?:&|\+|de|da|di|del|della|dos|das|do|van|von|der|den|ter|la|le|al|el|bin|ben|zu) ){0,2}`
	return &Finder{
		words: words, text: reader,
		capitals: regexp.MustCompile(`^` + word + `(?:` + joint + word + `){0,4}`),
		phone:    regexp.MustCompile(`(?:\+|00)\d[\d ()/.\-]{6,20}\d|\(?0\d{2,4}\)?[ /\-]\d[\d \-/]{4,12}\d`),
		cjk:      newCJKPatterns(),
	}
}
