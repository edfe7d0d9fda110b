package stage

import (
	"dealflow/internal/analysis/lexicon"
)

// conceptsOf returns the concepts in the name of a stage.
func (r *Judge) conceptsOf(name string) []string {
	var all []string
	for _, h := range r.words.Concepts.Find(lexicon.Tokenize(name)) {
		all = lexicon.AppendNew(all, h.Section)
	}
	return all
}
