package stage

import (
	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/source"
)

// conceptIn returns the meaning of the longest phrase in a quote, which is a section of the lexicon such as "lost" or
// "is_held", and the phrase; "none" and the whole quote if no phrase is in it. Words are folded, and cut to
// analysis.LongestCue characters.
func (r *Judge) conceptIn(quote string) (meaning, phrase string) {
	tokens := lexicon.Tokenize(quote)
	best := lexicon.Hit{}
	for _, h := range r.words.Status.Find(tokens) {
		if lexicon.IsConcept(h.Section) && h.Words > best.Words {
			best = h
		}
	}
	for _, h := range r.words.Stages.Find(tokens) {
		if h.Words > best.Words {
			best = h
		}
	}
	if best.Words == 0 {
		return "none", lexicon.Cut(lexicon.WordKey(quote), analysis.LongestCue)
	}
	return best.Section, lexicon.Cut(source.FoldedWords(tokens[best.First:best.Last]), analysis.LongestCue)
}
