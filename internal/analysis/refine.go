package analysis

import "strings"

// refine chooses among several stages of one meaning, as "Call scheduled" and "Call held", "1st call" and "2nd call",
// "Rejected by us" and "Rejected by founder", by what the sentence says.
func (r *Rules) refine(rd *reading, p pipeline, c claim) int {
	best, most := c.stage, 0
	scheduled, held, _ := r.tense(rd, c.hit)
	theirs := r.status.has("theirs", rd.sentenceOf(c.hit))
	number := rd.ordinalNear(c.hit)
	for i, concept := range p.concepts {
		if concept != p.concepts[c.stage] {
			continue
		}
		name := p.names[i]
		score := 0
		switch {
		case r.stages.has("is_scheduled", name):
			score = 2*boolInt(scheduled) - boolInt(held)
		case r.stages.has("is_held", name):
			score = 2*boolInt(held && !scheduled) - boolInt(scheduled)
		}
		if r.stages.has("is_theirs", name) {
			score += 3*boolInt(theirs) - 1
		}
		score += ordinalScore(name, number)
		if score > most {
			best, most = i, score
		}
	}
	return best
}

// tense reports whether the sentence speaks of what is to come or of what has been; settled, that both sides agreed
// on what is to come.
func (r *Rules) tense(rd *reading, h hit) (scheduled, held, settled bool) {
	sentence := rd.sentenceOf(h)
	for _, other := range r.status.find(tokenize(sentence)) {
		switch other.section {
		case "coming":
			scheduled, settled = true, true
		case "scheduled":
			scheduled = true
		case "done", "been":
			held = true
		}
	}
	return scheduled, held, settled
}

// ordinalNear returns the number that the sentence gives its call or meeting, "" for none.
func (rd *reading) ordinalNear(h hit) string {
	const near = 3
	for i := max(0, h.first-near); i < min(len(rd.tokens), h.last+near); i++ {
		if rd.tokens[i].sentence != rd.tokens[h.first].sentence {
			continue
		}
		if n := ordinal(rd.tokens[i].folded); n != "" {
			return n
		}
	}
	return ""
}

// ordinalScore compares the number in a stage's name with the one in the text; without one in the text it is the first.
func ordinalScore(name, number string) int {
	for w := range strings.FieldsSeq(name) {
		own := ordinal(w)
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
