package text

import (
	"dealflow/internal/analysis/lexicon"
)

// SentenceOf returns the sentence that contains a phrase, from its first to its last word, without the full stop.
func (rd *Text) SentenceOf(h lexicon.Hit) string {
	first, last := h.First, h.Last-1
	for first > 0 && rd.Tokens[first-1].Sentence == rd.Tokens[h.First].Sentence {
		first--
	}
	for last+1 < len(rd.Tokens) && rd.Tokens[last+1].Sentence == rd.Tokens[h.First].Sentence {
		last++
	}
	return rd.Body[rd.Tokens[first].Start:rd.Tokens[last].End]
}
