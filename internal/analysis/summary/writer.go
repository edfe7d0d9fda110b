package summary

import (
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// Writer writes summaries. It is built once and may be used by many goroutines.
type Writer struct {
	words  *lexicon.Words
	text   *text.Reader
	people *people.Finder
}

// NewWriter returns a Writer that looks words up in the lexicon.
func NewWriter(words *lexicon.Words, reader *text.Reader, finder *people.Finder) *Writer {
	return &Writer{words: words, text: reader, people: finder}
}
