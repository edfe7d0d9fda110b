package lessons

import (
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/stage"
	"dealflow/internal/analysis/text"
)

// Learner applies an account's corrections to findings. It is built once and may be used by many goroutines.
type Learner struct {
	picker *links.DeckPicker
	text   *text.Reader
	stage  *stage.Judge
}

// NewLearner returns a Learner. The picker distinguishes the company's own pages from those of platforms, the reader
// knows the mail providers, and the judge finds the meanings of stages.
func NewLearner(picker *links.DeckPicker, reader *text.Reader, judge *stage.Judge) *Learner {
	return &Learner{picker: picker, text: reader, stage: judge}
}
