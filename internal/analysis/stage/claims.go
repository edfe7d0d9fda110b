package stage

import (
	"strconv"
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// claims returns the phrases that mention a stage, with a score that depends on the clause and the sentence: whether
// these deny the stage, say that it is past or to come, or say that the deal is in it now. It skips a phrase that is
// part of a longer one with a meaning of its own, and a phrase for a lost deal that begins a move (see movesOn). It
// adds stages that are named only in passing if no other phrase has a score above 0.
func (r *Judge) claims(rd *people.Scene, p Pipeline) []Claim {
	all := rd.StatusHits
	frames := FramesOf(all)
	var found []Claim
	for _, h := range all {
		if !lexicon.IsConcept(h.Section) || covered(all, h) || h.Section == lexicon.ConceptLost && r.movesOn(rd.Text, p, h) {
			continue
		}
		stage := p.stageFor(h.Section)
		c := Claim{Stage: stage, concept: h.Section, Hit: h}
		c.Score = r.weigh(rd, h, frames)
		found = append(found, c)
	}
	found = append(found, r.remarks(rd, p, frames)...)
	found = append(found, r.namedStages(rd, p, frames)...)
	if _, _, ok := strongest(found); ok {
		return found
	}
	return append(found, r.wordsForStages(rd, p, all, frames)...)
}

// remarks returns claims for the clauses that consist of the name of a stage, or of up to three words with a meaning of
// a stage: "Oxide Foundry - pass, team too junior". It skips the intake stage.
func (r *Judge) remarks(rd *people.Scene, p Pipeline, frames frames) []Claim {
	var found []Claim
	for i := 0; i < len(rd.Tokens); {
		last := i + 1
		for last < len(rd.Tokens) && rd.Tokens[last].Clause == rd.Tokens[i].Clause {
			last++
		}
		if stage, end := p.nameAt(rd.Tokens, i); stage >= 0 && end == last && p.Concepts[stage] != lexicon.ConceptIntake {
			h := lexicon.Hit{Section: p.Concepts[stage], First: i, Last: last, Words: last - i}
			found = append(found, Claim{
				Stage: stage, concept: p.Concepts[stage], Hit: h, named: true, Score: r.weigh(rd, h, frames) + weightNamed,
			})
		} else if last-i <= 3 {
			concept := r.remarkConcept(rd.Body[rd.Tokens[i].Start:rd.Tokens[last-1].End], last-i)
			if stage := p.stageFor(concept); concept != "" && concept != lexicon.ConceptIntake && stage >= 0 {
				h := lexicon.Hit{Section: concept, First: i, Last: last, Words: last - i}
				found = append(found, Claim{Stage: stage, concept: concept, Hit: h, Score: r.weigh(rd, h, frames)})
			}
		}
		i = last
	}
	return found
}

// covered reports whether the phrase is part of a longer one with a meaning of its own, as "call with" in "partner call
// with".
func covered(all []lexicon.Hit, h lexicon.Hit) bool {
	for _, o := range lexicon.Nearby(all, h.First-longestPhrase, h.First+1) {
		if lexicon.IsConcept(o.Section) && o.Words > h.Words && o.First <= h.First && o.Last >= h.Last {
			return true
		}
	}
	return false
}

// namedStages returns claims for the phrases that are the name of a stage of the account. A name of a single word
// counts only if it is written as a name (see isDistinct), and one with many other uses only after a word such as "to".
// It skips the intake stage.
func (r *Judge) namedStages(rd *people.Scene, p Pipeline, frames frames) []Claim {
	var found []Claim
	for i := range rd.Tokens {
		stage, last := p.nameAt(rd.Tokens, i)
		if stage < 0 || p.Concepts[stage] == lexicon.ConceptIntake {
			continue
		}
		name := p.Stages[stage].Name
		written := rd.Body[rd.Tokens[i].Start:rd.Tokens[last-1].End]
		if single := last == i+1 && !strings.Contains(bareName(name), " "); single &&
			(isVague(rd.Tokens[i].Folded) && !isGoal(rd.Text, i) || !r.isDistinct(rd.Text, i, written)) {
			continue
		}
		h := lexicon.Hit{Section: p.Concepts[stage], First: i, Last: last, Words: last - i}
		found = append(found, Claim{
			Stage: stage, concept: p.Concepts[stage], Hit: h, named: true, Score: r.weigh(rd, h, frames) + weightNamed,
		})
	}
	return found
}

// frames are the hits of the words that say of a stage near them that it is denied, past, to come, present, done,
// conditional, or another company's.
type frames struct {
	not, past, future, now, scheduled, done, elsewhere, conditional, yet, others []lexicon.Hit
}

// FramesOf returns the hits in groups, by their effect on phrases near them. It leaves out hits without such an effect.
func FramesOf(all []lexicon.Hit) frames {
	var f frames
	for _, h := range all {
		switch h.Section {
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

// The weights of evidence, which add up to the Score of a Claim. A claim for a stage that is denied, past or to come
// never decides. A meeting or a committee that is scheduled does not count as to come.
const (
	weightBase     = 10
	weightWord     = 1
	weightNow      = 6
	weightNamed    = 4  // the account's own name for it
	weightWas      = -4 // "the first call was fine" leads to what comes after it
	weightDone     = -7 // "due diligence is finished": another stage that the text names is the one now
	weightWeak     = -6
	weightQuoted   = -8 // in a mail that the text answers or forwards
	weightDecided  = 6  // an end, won or lost, outweighs the stages that led there
	weightFounder  = -60
	weightDenied   = -100
	weightPast     = -100
	weightFuture   = -100
	weightAdvanced = 2
)

func (r *Judge) weigh(rd *people.Scene, h lexicon.Hit, f frames) int {
	score := weightBase + weightWord*h.Words + rankOf(h.Section)*weightAdvanced
	scheduled := near(rd.Text, f.scheduled, h, 6) &&
		(h.Section == lexicon.ConceptMeeting || h.Section == lexicon.ConceptPartner || h.Section == lexicon.ConceptCommittee)
	for _, one := range []struct {
		holds  bool
		weight int
	}{
		{h.Section == lexicon.ConceptWon || h.Section == lexicon.ConceptLost, weightDecided},
		{near(rd.Text, f.now, h, 0), weightNow},
		{scheduled, weightNow},
		{h.Last < len(rd.Tokens) && isWas(rd.Tokens[h.Last].Folded), weightWas},
		{advanced(h.Section) && inClause(rd.Text, f.done, h), weightDone},
		{rd.IsQuoted(rd.Tokens[h.First].Start), weightQuoted},
		{isOfOthers(rd.Text, h, f), weightDenied},
		{r.isElsewhere(rd.Text, h, f), weightDenied},
		{r.denied(rd.Text, h, f.not) || isAsked(rd.Text, h), weightDenied},
		{inClause(rd.Text, f.past, h) || r.oldYear(rd.Text, h), weightPast},
		{!scheduled && ahead(rd.Text, f.future, h), weightFuture},
		{r.isFoundersOwn(rd, h), weightFounder},
	} {
		if one.holds {
			score += one.weight
		}
	}
	return score
}

// isOfOthers reports whether the sentence is about what other investors do. It reports false for a rejection or a
// meeting, which texts often mention together with others.
func isOfOthers(rd *text.Text, h lexicon.Hit, f frames) bool {
	return inSentence(rd, f.others, h) && h.Section != lexicon.ConceptLost && h.Section != lexicon.ConceptMeeting
}

// isFoundersOwn reports whether founders, or those who introduce them, use the phrase about their own business and not
// about their dealings with the investor.
func (r *Judge) isFoundersOwn(rd *people.Scene, h lexicon.Hit) bool {
	return (rd.FounderSpeaks(h) || rd.Introduces && rd.IsLetter()) && !r.isShared(rd.Text, h)
}

// isAsked reports whether a question only asks about a stage: "Did we pass on Acme?", a form's "Do you have a term
// sheet?". A request for a call or a meeting is not such a question.
func isAsked(rd *text.Text, h lexicon.Hit) bool {
	if rank := rankOf(h.Section); rank >= rankOf(lexicon.ConceptContacted) && rank <= rankOf(lexicon.ConceptPartner) {
		return false
	}
	first := h.First
	for first > 0 && rd.Tokens[first-1].Sentence == rd.Tokens[h.First].Sentence {
		first--
	}
	if !rd.IsForm() && !asksWhether(rd.Tokens[first].Folded) && !strings.HasSuffix(rd.Body[:rd.Tokens[first].Start], "¿") {
		return false
	}
	for _, t := range rd.Tokens[h.Last:] {
		if t.Sentence != rd.Tokens[h.First].Sentence {
			break
		}
		h.Last++
	}
	end := rd.Tokens[h.Last-1].End
	gap := rd.Body[end:min(len(rd.Body), end+8)]
	return strings.HasPrefix(strings.TrimLeft(gap, " )\"”"), "?") || strings.HasPrefix(gap, "？")
}

// asksWhether reports whether a word begins questions that are answered by yes or no.
func asksWhether(word string) bool {
	return lexicon.In("words that ask whether", word)
}

func isWas(word string) bool {
	return lexicon.In("words for was", word)
}

// rankOf returns how far along a pipeline a meaning is, from 0 for the intake to 10 for a won deal; 0 if it is unknown.
// If a text mentions several stages, the deal is more likely in one with a higher rank.
func rankOf(concept string) int {
	for i, c := range []string{
		lexicon.ConceptIntake, lexicon.ConceptScreening, lexicon.ConceptContacted, lexicon.ConceptMeeting,
		lexicon.ConceptPartner, lexicon.ConceptDiligence,
		lexicon.ConceptCommittee, lexicon.ConceptTerms, lexicon.ConceptHold, lexicon.ConceptLost, lexicon.ConceptWon,
	} {
		if c == concept {
			return i
		}
	}
	return 0
}

// denied reports whether a negation belongs to the phrase: it is in the same clause, up to five words before the phrase
// or, as in "is not done", up to three words after it. A negation that is part of the phrase ("decided not to invest")
// does not count.
func (r *Judge) denied(rd *text.Text, h lexicon.Hit, nots []lexicon.Hit) bool {
	for _, n := range lexicon.Nearby(nots, h.First-longestPhrase, h.Last+longestPhrase) {
		if within(n, h) || rd.Tokens[n.First].Clause != rd.Tokens[h.First].Clause {
			continue
		}
		if n.First < h.First && h.First-n.Last <= 5 || n.First >= h.Last && n.First-h.Last <= 3 {
			return true
		}
	}
	return false
}

// longestPhrase is more than the tokens of any phrase and of the few words beside it that matter.
const longestPhrase = 64

// within reports whether the hit n is a part of the phrase h.
func within(n, h lexicon.Hit) bool { return n.First >= h.First && n.Last <= h.Last }

// near reports whether one of the hits is in the sentence of the phrase h, at most far words away from it; if far is 0,
// at any distance.
func near(rd *text.Text, hits []lexicon.Hit, h lexicon.Hit, far int) bool {
	for _, n := range hits {
		if rd.Tokens[n.First].Sentence != rd.Tokens[h.First].Sentence {
			continue
		}
		if far == 0 || n.First-h.Last <= far && h.First-n.Last <= far {
			return true
		}
	}
	return false
}

// inClause reports whether one of the hits that is not part of the phrase h is in the clause of the first or of the
// last word of h.
func inClause(rd *text.Text, hits []lexicon.Hit, h lexicon.Hit) bool {
	for _, n := range hits {
		if within(n, h) {
			continue
		}
		if c := rd.Tokens[n.First].Clause; c == rd.Tokens[h.First].Clause || c == rd.Tokens[h.Last-1].Clause {
			return true
		}
	}
	return false
}

// inSentence reports whether one of the hits is in the sentence of the phrase, at most seven words away.
func inSentence(rd *text.Text, hits []lexicon.Hit, h lexicon.Hit) bool {
	const near = 7
	for _, n := range hits {
		if rd.Tokens[n.First].Sentence == rd.Tokens[h.First].Sentence && n.First-h.Last <= near && h.First-n.Last <= near {
			return true
		}
	}
	return false
}

// ahead reports whether one of hits, the words that speak of the future, applies to the phrase: it is before the phrase
// in its clause, or up to four words after it without a word such as "and" between them. Such a word after a phrase for
// a deal on hold does not count: "on hold until June" is true now.
func ahead(rd *text.Text, hits []lexicon.Hit, h lexicon.Hit) bool {
	for _, n := range hits {
		if within(n, h) || rd.Tokens[n.First].Clause != rd.Tokens[h.First].Clause ||
			h.Section == lexicon.ConceptHold && n.First >= h.Last {
			continue // "on hold until June" is true now
		}
		if n.First < h.First || n.First-h.Last <= 4 && !joined(rd, h.Last, n.First) {
			return true
		}
	}
	return false
}

// joined reports whether a word such as "and" is between two tokens: the text after that word is about something else.
func joined(rd *text.Text, from, to int) bool {
	for i := from; i < to; i++ {
		if lexicon.In("words that part clauses", rd.Tokens[i].Folded) {
			return true
		}
	}
	return false
}

// oldYear reports whether a year from 2000 on, but before the year of the analysis, is in the clause of the phrase, up
// to eight words before its beginning or six words after it.
func (r *Judge) oldYear(rd *text.Text, h lexicon.Hit) bool {
	for i := max(0, h.First-8); i < min(len(rd.Tokens), h.Last+6); i++ {
		t := rd.Tokens[i]
		if t.Clause != rd.Tokens[h.First].Clause || len(t.Folded) != 4 {
			continue
		}
		if year, err := strconv.Atoi(t.Folded); err == nil && year >= 2000 && year < rd.Year {
			return true
		}
	}
	return false
}

// advanced reports whether a stage of this meaning is a step that can be finished: screening, a contact, a meeting, due
// diligence. If a text says that the step is done, the deal is probably not in that stage any more.
func advanced(concept string) bool {
	switch concept {
	case lexicon.ConceptScreening, lexicon.ConceptContacted, lexicon.ConceptMeeting, lexicon.ConceptPartner,
		lexicon.ConceptDiligence:
		return true
	}
	return false
}

// isElsewhere reports whether the phrase is about another company ("it competes with X, where we are in due
// diligence"), under a condition that begins its sentence ("if the audit is fine: term sheet"), or about a rejection
// that has not come yet ("we have not passed yet").
func (r *Judge) isElsewhere(rd *text.Text, h lexicon.Hit, f frames) bool {
	for _, e := range f.elsewhere {
		if rd.Tokens[e.First].Sentence == rd.Tokens[h.First].Sentence && e.First < h.First && !within(e, h) {
			return true
		}
	}
	for _, c := range f.conditional {
		opens := c.First == 0 || rd.Tokens[c.First-1].Sentence != rd.Tokens[c.First].Sentence
		if opens && rd.Tokens[c.First].Sentence == rd.Tokens[h.First].Sentence && c.Last <= h.First {
			return true
		}
	}
	return h.Section == lexicon.ConceptLost && inClause(rd, f.yet, h)
}
