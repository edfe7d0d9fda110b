package deck

import (
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
)

// Chooser chooses the deck among documents, and weighs the choice among links. It is built once and may be used by
// many goroutines.
type Chooser struct {
	words  *lexicon.Words
	picker *links.DeckPicker
}

// NewChooser returns a Chooser that knows the words and chooses links with the picker.
func NewChooser(words *lexicon.Words, picker *links.DeckPicker) *Chooser {
	return &Chooser{words: words, picker: picker}
}
