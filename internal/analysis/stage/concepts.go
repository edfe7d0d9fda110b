package stage

import (
	"dealflow/internal/analysis/lexicon"
)

// conceptsOf returns the concepts in the name of a stage, each once, in the order of the name; nil for none.
func (r *Judge) conceptsOf(name string) []string {
	var all []string
	for _, h := range r.words.Concepts.Find(lexicon.Tokenize(name)) {
		all = lexicon.AppendNew(all, h.Section)
	}
	return all
}
