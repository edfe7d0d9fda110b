package founders

import (
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// Finder finds the founders among the people of a text. It is built once and may be used by many goroutines.
type Finder struct {
	words  *lexicon.Words
	text   *text.Reader
	people *people.Finder
	naming *naming.Namer
}

// NewFinder returns a Finder that looks words up in the lexicon. The reader knows the mail providers, the finder knows
// what names of people look like, and the namer collects the names of a text.
func NewFinder(words *lexicon.Words, reader *text.Reader, finder *people.Finder, namer *naming.Namer) *Finder {
	return &Finder{words: words, text: reader, people: finder, naming: namer}
}
