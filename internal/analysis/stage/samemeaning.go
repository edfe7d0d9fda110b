package stage

import (
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// refine returns, among the stages that have the same meaning as the claim's, the one that fits the sentence of the
// claim best: "Call scheduled" and "Call held", "1st call" and "2nd call", or "Rejected by us" and "Rejected by
// founder" have the same meaning. If none fits better, it returns c.Stage, which must not be negative.
func (r *Judge) refine(rd *text.Text, p Pipeline, c Claim) int {
	best, most := c.Stage, 0
	scheduled, held, _ := r.tense(rd, c.Hit)
	theirs := r.words.Status.Has("theirs", rd.SentenceOf(c.Hit))
	number := ordinalNear(rd, c.Hit)
	for i, concept := range p.Concepts {
		if concept != p.Concepts[c.Stage] {
			continue
		}
		name := p.names[i]
		score := 0
		switch {
		case r.words.Stages.Has("is_scheduled", name):
			score = 2*lexicon.BoolInt(scheduled) - lexicon.BoolInt(held)
		case r.words.Stages.Has("is_held", name):
			score = 2*lexicon.BoolInt(held && !scheduled) - lexicon.BoolInt(scheduled)
		}
		if r.words.Stages.Has("is_theirs", name) {
			score += 3*lexicon.BoolInt(theirs) - 1
		}
		score += ordinalScore(name, number)
		if score > most {
			best, most = i, score
		}
	}
	return best
}

// tense reports whether the sentence of h mentions something to come (scheduled) or something that has happened (held),
// and whether both sides agreed on the former (agreed).
func (r *Judge) tense(rd *text.Text, h lexicon.Hit) (scheduled, held, agreed bool) {
	sentence := rd.SentenceOf(h)
	for _, other := range r.words.Status.Find(lexicon.Tokenize(sentence)) {
		switch other.Section {
		case "coming":
			scheduled, agreed = true, true
		case "scheduled":
			scheduled = true
		case "done", "been":
			held = true
		}
	}
	return scheduled, held, agreed
}

// ordinalNear returns the ordinal in the phrase, or within three words of it in its sentence, as lexicon.Ordinal
// returns it; "" for none. It is the number of a call or a meeting.
func ordinalNear(rd *text.Text, h lexicon.Hit) string {
	const near = 3
	for i := max(0, h.First-near); i < min(len(rd.Tokens), h.Last+near); i++ {
		if rd.Tokens[i].Sentence != rd.Tokens[h.First].Sentence {
			continue
		}
		if n := lexicon.Ordinal(rd.Tokens[i].Folded); n != "" {
			return n
		}
	}
	return ""
}

// ordinalScore returns 3 if a stage's name has the number of the text, 1 if the text has no number and the name has a
// 1, else 0.
func ordinalScore(name, number string) int {
	for w := range strings.FieldsSeq(name) {
		own := lexicon.Ordinal(w)
		if own == "" && len(w) == 1 && w[0] >= '1' && w[0] <= '9' {
			own = w
		}
		switch {
		case own == "":
		case own == number:
			return 3
		case number == "" && own == "1":
			return 1
		}
	}
	return 0
}
