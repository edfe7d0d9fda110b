package stage

import (
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// isShared reports whether a founder uses the phrase about their dealings with this investor ("our call on Tuesday",
// "your due diligence"), and not about their business.
func (r *Judge) isShared(rd *text.Text, h lexicon.Hit) bool {
	if h.Section == lexicon.ConceptWon || h.Section == lexicon.ConceptLost || h.Section == lexicon.ConceptHold {
		return r.words.Status.Has("withdrawn", rd.SentenceOf(h)) ||
			h.Section != lexicon.ConceptWon && r.words.Status.Has("your_end", rd.SentenceOf(h))
	}
	if far := rankOf(h.Section) >= rankOf(lexicon.ConceptDiligence); far && len(rd.Mails) < 2 && !people.Thread(rd) {
		return people.AddressedNear(rd, h) || thanksNear(rd, h)
	}
	for i := range rd.Tokens {
		if rd.Tokens[i].Sentence != rd.Tokens[h.First].Sentence {
			continue
		}
		if people.IsYou(rd.Tokens[i].Folded) {
			return true
		}
		if lexicon.In("words for what is shared", rd.Tokens[i].Folded) {
			return true
		}
	}
	return h.Section == lexicon.ConceptPartner || h.Section == lexicon.ConceptCommittee
}

// thanksNear reports whether one of the four words before the phrase, in its clause, thanks for it: "thanks for the
// term sheet".
func thanksNear(rd *text.Text, h lexicon.Hit) bool {
	const near = 4
	for i := max(0, h.First-near); i < h.First; i++ {
		if rd.Tokens[i].Clause != rd.Tokens[h.First].Clause {
			continue
		}
		if lexicon.In("thanks", rd.Tokens[i].Folded) {
			return true
		}
	}
	return false
}
