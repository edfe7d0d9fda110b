package stage

import (
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/text"
)

// Judge finds out which stage of an account a deal is in. It is built once and may be used by many goroutines.
type Judge struct {
	words  *lexicon.Words
	text   *text.Reader
	people *people.Finder
	names  *rank.Model // of what a stage is for, by its name and position
	order  following   // of what a stage is for, by what comes before it
}

// NewJudge returns a Judge that reads texts by the words, and the names of stages by the models. Without the models
// StageName and StageOrder, its method Senses panics.
func NewJudge(words *lexicon.Words, reader *text.Reader, finder *people.Finder, models rank.Models) *Judge {
	return &Judge{
		words: words, text: reader, people: finder, names: models[rank.StageName],
		order: newFollowing(models[rank.StageOrder]),
	}
}
