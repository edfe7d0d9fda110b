package stage

import (
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// wordsForStages returns the phrases that name a stage in passing, by a word for it or by the account's own name in any
// form ("görüşmemiz", "we are reviewing it"). They are weak, and decide only if there is no stronger phrase. A word for
// a stage that is part of a longer phrase of said, the hits of the text, does not count; nor does one that names none
// by itself, such as "scheduled".
func (r *Judge) wordsForStages(rd *people.Scene, p Pipeline, said []lexicon.Hit, frames frames) []Claim {
	var found []Claim
	for _, h := range r.words.Stages.Find(rd.Tokens) {
		words := rd.Body[rd.Tokens[h.First].Start:rd.Tokens[h.Last-1].End]
		if !isLater(h.Section) || covered(said, h) || h.Words == 1 && isVague(lexicon.Fold(words)) {
			continue
		}
		found = append(found, Claim{
			Stage: p.stageFor(h.Section), concept: h.Section, Hit: h, weak: true, Score: r.weigh(rd, h, frames) + weightWeak,
		})
	}
	found = append(found, r.talks(rd, p, frames)...)
	for i := range rd.Tokens {
		stage, last := p.formAt(rd.Tokens, i)
		if stage < 0 || p.Concepts[stage] == lexicon.ConceptIntake || isVague(rd.Tokens[i].Folded) {
			continue
		}
		h := lexicon.Hit{Section: p.Concepts[stage], First: i, Last: last, Words: last - i}
		found = append(found, Claim{
			Stage: stage, concept: p.Concepts[stage], Hit: h, named: true, weak: true,
			Score: r.weigh(rd, h, frames) + weightWeak + weightNamed,
		})
	}
	return found
}

// isLater reports whether a section of the words for stages is a meaning, other than that of the intake.
func isLater(section string) bool {
	return lexicon.IsConcept(section) && section != lexicon.ConceptIntake
}

// talks returns claims for the phrases that mention a call or a meeting that took place or is arranged. A word such as
// "call" alone does not show that.
func (r *Judge) talks(rd *people.Scene, p Pipeline, frames frames) []Claim {
	var found []Claim
	for _, h := range rd.StatusHits {
		if h.Section != "talk" {
			continue
		}
		scheduled, held, agreed := r.tense(rd.Text, h)
		if !held && !agreed && (!scheduled || rd.FounderSpeaks(h)) {
			continue
		}
		h.Section = lexicon.ConceptMeeting
		found = append(found, Claim{
			Stage: p.stageFor(lexicon.ConceptMeeting), concept: lexicon.ConceptMeeting, Hit: h, weak: true,
			Score: r.weigh(rd, h, frames) + weightWeak,
		})
	}
	return found
}

// isVague reports whether a single word for a stage has many other uses.
func isVague(word string) bool {
	return lexicon.In("vague words for stages", word)
}

// remarkConcept returns the meaning of a clause, of that many words, that consists only of a word for a stage; else "".
// Words that have many other meanings when they are alone ("interesting", "call", "done") do not count.
func (r *Judge) remarkConcept(clause string, words int) string {
	concept := r.words.Stages.Exact(clause)
	if !lexicon.IsConcept(concept) {
		return ""
	}
	if words > 1 {
		return concept
	}
	switch concept {
	case lexicon.ConceptScreening, lexicon.ConceptMeeting, lexicon.ConceptContacted, lexicon.ConceptPartner:
		return ""
	}
	if lexicon.In("vague remarks", lexicon.Fold(clause)) {
		return ""
	}
	return concept
}

// isDistinct reports whether token i, a single word that is also the name of a stage, is written as a name: with a
// capital within a sentence, or anywhere in a script without spaces. written is the word as the text has it.
func (r *Judge) isDistinct(rd *text.Text, i int, written string) bool {
	if !lexicon.StartsUpper(written) {
		return false
	}
	return i > 0 && rd.Tokens[i-1].Sentence == rd.Tokens[i].Sentence || lexicon.IsUnspaced([]rune(written)[0])
}

// isGoal reports whether the word before token i introduces the stage to which something is moved, as "to" does in
// "moved Acme to Passed".
func isGoal(rd *text.Text, i int) bool {
	if i == 0 || rd.Tokens[i-1].Clause != rd.Tokens[i].Clause {
		return false
	}
	return lexicon.In("words before goals", rd.Tokens[i-1].Folded)
}
