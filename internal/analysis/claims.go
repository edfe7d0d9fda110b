package analysis

import (
	"slices"
	"strconv"
	"strings"
)

// claims gives every place that speaks of a stage, weighed by what its clause and its sentence say of it: denied, long
// past, hoped for, or so now.
func (r *Rules) claims(rd *reading, p pipeline) []claim {
	all := rd.statusHits
	frames := framesOf(all)
	var found []claim
	for _, h := range all {
		if !isConcept(h.section) || covered(all, h) || h.section == conceptLost && r.movesOn(rd, p, h) {
			continue
		}
		stage := p.stageFor(h.section)
		c := claim{stage: stage, concept: h.section, hit: h}
		c.score = r.weigh(rd, h, frames)
		found = append(found, c)
	}
	found = append(found, r.remarks(rd, p, frames)...)
	found = append(found, r.namedStages(rd, p, frames)...)
	if _, _, ok := strongest(found); ok {
		return found
	}
	return append(found, r.wordsForStages(rd, p, all, frames)...)
}

// remarks returns the clauses that are nothing but a word for a stage: "Oxide Foundry - pass, team too junior".
func (r *Rules) remarks(rd *reading, p pipeline, frames frames) []claim {
	var found []claim
	for i := 0; i < len(rd.tokens); {
		last := i + 1
		for last < len(rd.tokens) && rd.tokens[last].clause == rd.tokens[i].clause {
			last++
		}
		if stage, end := p.nameAt(rd.tokens, i); stage >= 0 && end == last && p.concepts[stage] != conceptIntake {
			h := hit{section: p.concepts[stage], first: i, last: last, words: last - i}
			found = append(found, claim{
				stage: stage, concept: p.concepts[stage], hit: h, named: true, score: r.weigh(rd, h, frames) + weightNamed,
			})
		} else if last-i <= 3 {
			concept := r.remarkConcept(rd.body[rd.tokens[i].start:rd.tokens[last-1].end], last-i)
			if stage := p.stageFor(concept); concept != "" && concept != conceptIntake && stage >= 0 {
				h := hit{section: concept, first: i, last: last, words: last - i}
				found = append(found, claim{stage: stage, concept: concept, hit: h, score: r.weigh(rd, h, frames)})
			}
		}
		i = last
	}
	return found
}

// covered reports whether a longer phrase of another meaning holds this one: "term sheet" in "declined our term
// sheet" does not, "call with" in "partner call with" does.
func covered(all []hit, h hit) bool {
	for _, o := range nearby(all, h.first-longestPhrase, h.first+1) {
		if isConcept(o.section) && o.words > h.words && o.first <= h.first && o.last >= h.last {
			return true
		}
	}
	return false
}

// namedStages returns the places where a stage of the account is called by its own name, for names that no sentence
// uses otherwise.
func (r *Rules) namedStages(rd *reading, p pipeline, frames frames) []claim {
	var found []claim
	for i := range rd.tokens {
		stage, last := p.nameAt(rd.tokens, i)
		if stage < 0 || p.concepts[stage] == conceptIntake {
			continue
		}
		name := p.stages[stage].Name
		written := rd.body[rd.tokens[i].start:rd.tokens[last-1].end]
		if single := last == i+1 && !strings.Contains(bareName(name), " "); single &&
			(isVague(rd.tokens[i].folded) && !rd.isGoal(i) || !r.isDistinct(rd, i, written)) {
			continue
		}
		h := hit{section: p.concepts[stage], first: i, last: last, words: last - i}
		found = append(found, claim{
			stage: stage, concept: p.concepts[stage], hit: h, named: true, score: r.weigh(rd, h, frames) + weightNamed,
		})
	}
	return found
}

// frames are the places of the words that deny a stage or set it in time.
type frames struct {
	not, past, future, now, scheduled, done, elsewhere, conditional, yet, others []hit
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
		case "done":
			f.done = append(f.done, h)
		case "elsewhere":
			f.elsewhere = append(f.elsewhere, h)
		case "conditional":
			f.conditional = append(f.conditional, h)
		case "yet":
			f.yet = append(f.yet, h)
		case "others":
			f.others = append(f.others, h)
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
	weightDone     = -7 // "due diligence is finished": another stage that the text names is the one now
	weightWeak     = -6
	weightQuoted   = -8 // in a mail that the text answers or passes on
	weightDecided  = 6  // an end, won or lost, outweighs the stages that led there
	weightFounder  = -60
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
	scheduled := near(rd, f.scheduled, h, 6) &&
		(h.section == conceptMeeting || h.section == conceptPartner || h.section == conceptCommittee)
	if scheduled {
		score += weightNow
	}
	if h.last < len(rd.tokens) && isWas(rd.tokens[h.last].folded) {
		score += weightWas
	}
	if advanced(h.section) && inClause(rd, f.done, h) {
		score += weightDone
	}
	if rd.isQuoted(rd.tokens[h.first].start) {
		score += weightQuoted
	}
	if inSentence(rd, f.others, h) && h.section != conceptLost && h.section != conceptMeeting {
		score += weightDenied
	}
	if r.isElsewhere(rd, h, f) {
		score += weightDenied
	}
	if r.denied(rd, h, f.not) || rd.isAsked(h) {
		score += weightDenied
	}
	if inClause(rd, f.past, h) || r.oldYear(rd, h) {
		score += weightPast
	}
	if !scheduled && ahead(rd, f.future, h) {
		score += weightFuture
	}
	if (rd.founderSpeaks(h) || rd.introduces && rd.isLetter()) && !r.isShared(rd, h) {
		score += weightFounder
	}
	return score
}

// isAsked tells what a question is about: "Did we pass on Acme?", a form's "Do you have a term sheet?". A call or a
// meeting may be asked for.
func (rd *reading) isAsked(h hit) bool {
	if rank := rankOf(h.section); rank >= rankOf(conceptContacted) && rank <= rankOf(conceptPartner) {
		return false
	}
	first := h.first
	for first > 0 && rd.tokens[first-1].sentence == rd.tokens[h.first].sentence {
		first--
	}
	if !rd.isForm() && !asksWhether(rd.tokens[first].folded) && !strings.HasSuffix(rd.body[:rd.tokens[first].start], "¿") {
		return false
	}
	for _, t := range rd.tokens[h.last:] {
		if t.sentence != rd.tokens[h.first].sentence {
			break
		}
		h.last++
	}
	end := rd.tokens[h.last-1].end
	gap := rd.body[end:min(len(rd.body), end+8)]
	return strings.HasPrefix(strings.TrimLeft(gap, " )\"”"), "?") || strings.HasPrefix(gap, "？")
}

// asksWhether tells the words that a question begins with whose answer is yes or no.
func asksWhether(word string) bool {
	switch word {
	case "did", "do", "does", "have", "has", "is", "are", "was", "were", "should", "shall", "haben", "hat", "ist", "sind",
		"hatten", "sollen", "sollten", "avons", "est", "faut", "hemos", "es", "abbiamo", "dobbiamo", "temos", "devemos",
		"hebben", "moeten", "czy":
		return true
	}
	return false
}

func isWas(word string) bool {
	switch word {
	case "was", "were", "war", "waren", "etait", "fue", "era", "foi", "bylo", "byla":
		return true
	}
	return false
}

// rankOf orders the meanings along a pipeline: of two stages that a text speaks of, the further one is where the deal
// is.
func rankOf(concept string) int {
	for i, c := range []string{
		conceptIntake, conceptScreening, conceptContacted, conceptMeeting, conceptPartner, conceptDiligence,
		conceptCommittee, conceptTerms, conceptHold, conceptLost, conceptWon,
	} {
		if c == concept {
			return i
		}
	}
	return 0
}

// denied reports whether a negation belongs to the phrase: it is in the same clause up to five words before it, or
// right behind it ("is not done"). One that is part of the phrase ("decided not to invest") does not count.
func (r *Rules) denied(rd *reading, h hit, nots []hit) bool {
	for _, n := range nearby(nots, h.first-longestPhrase, h.last+longestPhrase) {
		if within(n, h) || rd.tokens[n.first].clause != rd.tokens[h.first].clause {
			continue
		}
		if n.first < h.first && h.first-n.last <= 5 || n.first >= h.last && n.first-h.last <= 3 {
			return true
		}
	}
	return false
}

// longestPhrase is more tokens than any phrase has, with the few words that may lie beside it.
const longestPhrase = 64

// nearby returns the places that begin from one token on and before another, of those in the order of the text. A text
// may be full of phrases, and each is held against those near it alone.
func nearby(places []hit, from, to int) []hit {
	byFirst := func(place hit, at int) int { return place.first - at }
	begin, _ := slices.BinarySearchFunc(places, from, byFirst)
	end, _ := slices.BinarySearchFunc(places[begin:], to, byFirst)
	return places[begin : begin+end]
}

// within reports whether a word is a part of the phrase itself.
func within(n, h hit) bool { return n.first >= h.first && n.last <= h.last }

// near reports whether one of the places is in the same sentence, at most far words away (0: any).
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

// inClause reports whether one of the places is in the same clause as the phrase, or in the one that ends where it
// begins.
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

// inSentence reports whether one of the places is in the sentence of the phrase, close by.
func inSentence(rd *reading, places []hit, h hit) bool {
	const near = 7
	for _, n := range places {
		if rd.tokens[n.first].sentence == rd.tokens[h.first].sentence && n.first-h.last <= near && h.first-n.last <= near {
			return true
		}
	}
	return false
}

// ahead reports whether a word of the future is before the phrase in its clause, or behind it close by.
func ahead(rd *reading, places []hit, h hit) bool {
	for _, n := range places {
		if within(n, h) || rd.tokens[n.first].clause != rd.tokens[h.first].clause ||
			h.section == conceptHold && n.first >= h.last {
			continue // "on hold until June" is so now
		}
		if n.first < h.first || n.first-h.last <= 4 && !rd.joined(h.last, n.first) {
			return true
		}
	}
	return false
}

// joined reports whether an "and" is between two tokens: what follows it is another matter.
func (rd *reading) joined(from, to int) bool {
	for i := from; i < to; i++ {
		switch rd.tokens[i].folded {
		case "and", "und", "et", "y", "ve", "och", "og", "but", "aber", "mais", "pero", "maar":
			return true
		}
	}
	return false
}

// oldYear reports whether a year before that of the analysis is in the sentence close to the phrase.
func (r *Rules) oldYear(rd *reading, h hit) bool {
	for i := max(0, h.first-8); i < min(len(rd.tokens), h.last+6); i++ {
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

// advanced tells the stages that a deal leaves when they are done; the ends it does not.
func advanced(concept string) bool {
	switch concept {
	case conceptScreening, conceptContacted, conceptMeeting, conceptPartner, conceptDiligence:
		return true
	}
	return false
}

// sentenceOf returns the whole sentence that a phrase is in.
func (rd *reading) sentenceOf(h hit) string {
	first, last := h.first, h.last-1
	for first > 0 && rd.tokens[first-1].sentence == rd.tokens[h.first].sentence {
		first--
	}
	for last+1 < len(rd.tokens) && rd.tokens[last+1].sentence == rd.tokens[h.first].sentence {
		last++
	}
	return rd.body[rd.tokens[first].start:rd.tokens[last].end]
}

// isElsewhere tells what is said of another company ("it competes with X, where we are in due diligence"), of a case
// that may come ("if the audit is fine: term sheet"), or of an end that is only not there yet ("we have not invested
// yet").
func (r *Rules) isElsewhere(rd *reading, h hit, f frames) bool {
	for _, e := range f.elsewhere {
		if rd.tokens[e.first].sentence == rd.tokens[h.first].sentence && e.first < h.first && !within(e, h) {
			return true
		}
	}
	for _, c := range f.conditional {
		opens := c.first == 0 || rd.tokens[c.first-1].sentence != rd.tokens[c.first].sentence
		if opens && rd.tokens[c.first].sentence == rd.tokens[h.first].sentence && c.last <= h.first {
			return true
		}
	}
	return h.section == conceptLost && inClause(rd, f.yet, h)
}
