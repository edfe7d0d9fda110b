package analysis

import (
	"strconv"
	"strings"
)

// evidences gives every place that speaks of a stage, weighed by what its clause and its sentence say of it: denied, long
// past, hoped for, or so now.
func (r *Rules) evidences(rd *reading, p pipeline) []evidence {
	all := r.status.find(rd.tokens)
	frames := framesOf(all)
	var found []evidence
	for _, h := range all {
		if !isConcept(h.section) || covered(all, h) {
			continue
		}
		stage := p.stageFor(h.section)
		e := evidence{stage: stage, concept: h.section, at: h.first, quote: rd.quote(h)}
		e.score = r.weigh(rd, h, frames)
		found = append(found, e)
	}
	found = append(found, r.remarks(rd, p, frames)...)
	return append(found, r.namedStages(rd, p, frames)...)
}

// remarks gives the clauses that are nothing but a word for a stage: "Oxide Foundry - pass, team too junior".
func (r *Rules) remarks(rd *reading, p pipeline, frames frames) []evidence {
	var found []evidence
	for i := 0; i < len(rd.tokens); {
		last := i + 1
		for last < len(rd.tokens) && rd.tokens[last].clause == rd.tokens[i].clause {
			last++
		}
		if stage, end := p.nameAt(rd.tokens, i); stage >= 0 && end == last && p.concepts[stage] != conceptIntake {
			h := hit{section: p.concepts[stage], first: i, last: last, words: last - i}
			found = append(found, evidence{stage: stage, concept: p.concepts[stage], at: i, quote: rd.quote(h), score: r.weigh(rd, h, frames) + weightNamed})
		} else if last-i <= 3 {
			concept := r.remarkConcept(rd.body[rd.tokens[i].start:rd.tokens[last-1].end], last-i)
			if stage := p.stageFor(concept); concept != "" && concept != conceptIntake && stage >= 0 {
				h := hit{section: concept, first: i, last: last, words: last - i}
				found = append(found, evidence{stage: stage, concept: concept, at: i, quote: rd.quote(h), score: r.weigh(rd, h, frames)})
			}
		}
		i = last
	}
	return found
}

// covered tells whether a longer phrase of another meaning holds this one: "term sheet" in "declined our term sheet" does
// not, "call with" in "partner call with" does.
func covered(all []hit, h hit) bool {
	for _, o := range all {
		if isConcept(o.section) && o.words > h.words && o.first <= h.first && o.last >= h.last {
			return true
		}
	}
	return false
}

// namedStages gives the places where a stage of the account is called by its own name, for names that no sentence uses
// otherwise.
func (r *Rules) namedStages(rd *reading, p pipeline, frames frames) []evidence {
	var found []evidence
	for i := range rd.tokens {
		stage, last := p.nameAt(rd.tokens, i)
		if stage < 0 || p.concepts[stage] == conceptIntake {
			continue
		}
		name := p.stages[stage].Name
		written := rd.body[rd.tokens[i].start:rd.tokens[last-1].end]
		if last == i+1 && !strings.Contains(bareName(name), " ") && !r.isDistinct(rd, i, written) {
			continue
		}
		h := hit{section: p.concepts[stage], first: i, last: last, words: last - i}
		found = append(found, evidence{stage: stage, concept: p.concepts[stage], at: i, quote: rd.quote(h), score: r.weigh(rd, h, frames) + weightNamed})
	}
	return found
}

// remarkConcept gives the meaning of a clause that is nothing but a word for a stage. Words that say much else when they stand
// alone ("interesting", "call", "done") do not count.
func (r *Rules) remarkConcept(clause string, words int) string {
	concept := r.stages.exact(clause)
	if words > 1 {
		return concept
	}
	switch concept {
	case conceptScreening, conceptMeeting, conceptContacted, conceptPartner:
		return ""
	}
	switch fold(clause) {
	case "no", "in", "out", "done", "later", "warm", "docs", "documents", "legal", "offer", "contract", "contracts", "decision", "investment", "closed", "signed", "terms", "audit", "monitor", "watch", "track", "hold", "dead":
		return ""
	}
	return concept
}

// isDistinct tells whether a single word, the name of a stage, is written as a name: with a capital within a sentence.
func (r *Rules) isDistinct(rd *reading, i int, written string) bool {
	if !startsUpper(written) {
		return false
	}
	return i > 0 && rd.tokens[i-1].sentence == rd.tokens[i].sentence || isUnspaced([]rune(written)[0])
}

// frames are the places of the words that deny a stage or set it in time.
type frames struct {
	not, past, future, now, scheduled []hit
}

func framesOf(all []hit) frames {
	var f frames
	for _, h := range all {
		switch h.section {
		case "not":
			f.not = append(f.not, h)
		case "past":
			f.past = append(f.past, h)
		case "future":
			f.future = append(f.future, h)
		case "now":
			f.now = append(f.now, h)
		case "scheduled":
			f.scheduled = append(f.scheduled, h)
		}
	}
	return f
}

// The weights of evidence. What is denied or long past never decides; what is only hoped for does not either.
const (
	weightBase     = 10
	weightWord     = 1
	weightNow      = 6
	weightNamed    = 4  // the account's own name for it
	weightWas      = -4 // "the first call was fine" leads to what comes after it
	weightDecided  = 6  // an end, won or lost, outweighs the stages that led there
	weightFounder  = -40
	weightDenied   = -100
	weightPast     = -100
	weightFuture   = -100
	weightAdvanced = 2
)

func (r *Rules) weigh(rd *reading, h hit, f frames) int {
	score := weightBase + weightWord*h.words + rankOf(h.section)*weightAdvanced
	if h.section == conceptWon || h.section == conceptLost {
		score += weightDecided
	}
	if near(rd, f.now, h, 0) {
		score += weightNow
	}
	scheduled := near(rd, f.scheduled, h, 6) && (h.section == conceptMeeting || h.section == conceptPartner || h.section == conceptCommittee)
	if scheduled {
		score += weightNow
	}
	if h.last < len(rd.tokens) && isWas(rd.tokens[h.last].folded) {
		score += weightWas
	}
	if r.denied(rd, h, f.not) {
		score += weightDenied
	}
	if inClause(rd, f.past, h) || r.oldYear(rd, h) {
		score += weightPast
	}
	if !scheduled && ahead(rd, f.future, h) {
		score += weightFuture
	}
	if rd.founderVoice && !r.isShared(rd, h) {
		score += weightFounder
	}
	return score
}

func isWas(word string) bool {
	switch word {
	case "was", "were", "war", "waren", "etait", "fue", "era", "foi", "bylo", "byla":
		return true
	}
	return false
}

// rankOf orders the meanings along a pipeline: of two stages that a text speaks of, the further one is where the deal is.
func rankOf(concept string) int {
	for i, c := range []string{conceptIntake, conceptScreening, conceptContacted, conceptMeeting, conceptPartner, conceptDiligence, conceptCommittee, conceptTerms, conceptHold, conceptLost, conceptWon} {
		if c == concept {
			return i
		}
	}
	return 0
}

// denied tells whether a negation belongs to the phrase: it stands in the same clause up to five words before it, or right
// behind it ("is not done"). One that is part of the phrase ("decided not to invest") does not count.
func (r *Rules) denied(rd *reading, h hit, nots []hit) bool {
	for _, n := range nots {
		if within(n, h) || rd.tokens[n.first].clause != rd.tokens[h.first].clause {
			continue
		}
		if n.first < h.first && h.first-n.last <= 5 || n.first >= h.last && n.first-h.last <= 3 {
			return true
		}
	}
	return false
}

// within tells whether a word is a part of the phrase itself.
func within(n, h hit) bool { return n.first >= h.first && n.last <= h.last }

// near tells whether one of the places is in the same sentence, at most far words away (0: any).
func near(rd *reading, places []hit, h hit, far int) bool {
	for _, n := range places {
		if rd.tokens[n.first].sentence != rd.tokens[h.first].sentence {
			continue
		}
		if far == 0 || n.first-h.last <= far && h.first-n.last <= far {
			return true
		}
	}
	return false
}

// inClause tells whether one of the places is in the same clause as the phrase, or in the one that ends where it begins.
func inClause(rd *reading, places []hit, h hit) bool {
	for _, n := range places {
		if within(n, h) {
			continue
		}
		if c := rd.tokens[n.first].clause; c == rd.tokens[h.first].clause || c == rd.tokens[h.last-1].clause {
			return true
		}
	}
	return false
}

// ahead tells whether a word of the future stands before the phrase in its clause, or behind it close by.
func ahead(rd *reading, places []hit, h hit) bool {
	for _, n := range places {
		if within(n, h) || rd.tokens[n.first].clause != rd.tokens[h.first].clause {
			continue
		}
		if n.first < h.first || n.first-h.last <= 4 {
			return true
		}
	}
	return false
}

// oldYear tells whether a year before that of the analysis stands in the sentence close to the phrase.
func (r *Rules) oldYear(rd *reading, h hit) bool {
	for i := max(0, h.first-6); i < min(len(rd.tokens), h.last+6); i++ {
		t := rd.tokens[i]
		if t.clause != rd.tokens[h.first].clause || len(t.folded) != 4 {
			continue
		}
		if year, err := strconv.Atoi(t.folded); err == nil && year >= 2000 && year < rd.year {
			return true
		}
	}
	return false
}

// isShared tells what a founder says of his dealings with this investor from what he says of his business: "our call on
// Tuesday", "your due diligence".
func (r *Rules) isShared(rd *reading, h hit) bool {
	if h.section == conceptWon || h.section == conceptLost || h.section == conceptHold {
		return false
	}
	for i := range rd.tokens {
		if rd.tokens[i].sentence != rd.tokens[h.first].sentence {
			continue
		}
		switch rd.tokens[i].folded {
		case "you", "your", "thanks", "thank", "following", "discussed", "call", "ihr", "ihnen", "euch", "vous", "votre", "usted", "vuestro", "su", "voi", "lei", "vostro", "voce", "vosso", "seu", "u", "uw", "jullie",
			"panstwa", "siz", "sizin", "您", "贵", "御":
			return true
		}
	}
	return h.section == conceptPartner || h.section == conceptCommittee
}
