package source

import (
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/people"
)

// Judge decides how a text came to the investor. It is built once and may be used by many goroutines.
type Judge struct {
	words  *lexicon.Words
	people *people.Finder
}

// NewJudge returns a Judge that looks words up in the lexicon, and finds negations and introductions with the finder.
func NewJudge(words *lexicon.Words, finder *people.Finder) *Judge {
	return &Judge{words: words, people: finder}
}
