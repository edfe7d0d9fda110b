package stage

import (
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// statedStage returns the index of the first stage that the text states, and the hit that states it: "Stage:
// Diligence", "Status -> Signed", "moved from screening to IC". It skips statements that are denied, about the future,
// conditional or about another company, and those by which founders only ask for a stage. It returns -1 and false if
// there is none.
func (r *Judge) statedStage(rd *people.Scene, p Pipeline) (int, lexicon.Hit, bool) {
	frames := FramesOf(rd.StatusHits)
	for _, h := range rd.StatusHits {
		if h.Section != "move" || h.Last >= len(rd.Tokens) || people.NegatedBefore(rd.Text, h.First, r.people) ||
			r.hypothetical(rd.Text, h.First, h.Last) || r.isElsewhere(rd.Text, h, frames) ||
			rd.FounderSpeaks(h) && (isOrder(rd.Tokens[h.First].Folded) || !people.AddressedNear(rd.Text, h)) {
			continue
		}
		for skip := 0; skip <= 1; skip++ { // "to the watchlist"
			if h.Last+skip >= len(rd.Tokens) || !isMoveGap(rd.Body[rd.Tokens[h.Last-1].End:rd.Tokens[h.Last+skip].Start]) {
				break
			}
			if i, last := r.stageAt(rd.Text, p, h, h.Last+skip); i >= 0 && !r.hypothetical(rd.Text, h.First, last) {
				return i, lexicon.Hit{First: h.First, Last: last}, true
			}
		}
	}
	return -1, lexicon.Hit{}, false
}

// isOrder reports whether a word requests that a stage be set. A founder's request says nothing about the stage that
// the deal is in.
func isOrder(word string) bool {
	return lexicon.In("orders", word)
}

// stageAt returns the stage that the text names at token i, and the index of the token after that name. stage is -1 if
// there is none; last then means nothing. move has the words for a move, which are before token i. The text may use the
// stage's own name or alias (see nameAt). Unless the first word of move is one of the "vague moves", such as "is" or
// "status", it may also use a phrase for a meaning other than the intake ("moving into confirmatory DD"); the stage is
// then that of stageFor.
func (r *Judge) stageAt(rd *text.Text, p Pipeline, move lexicon.Hit, i int) (stage, last int) {
	if stage, last = p.nameAt(rd.Tokens, i); stage >= 0 {
		return stage, last
	}
	if lexicon.In("vague moves", rd.Tokens[move.First].Folded) {
		return -1, 0
	}
	best := lexicon.Hit{}
	for _, ph := range r.words.Stages.ByFirst[rd.Tokens[i].Folded] {
		if last := ph.Match(rd.Tokens, i); last > best.Last && isLater(ph.Section) {
			best = lexicon.Hit{Section: ph.Section, Last: last}
		}
	}
	if best.Last == 0 {
		return -1, 0
	}
	return p.stageFor(best.Section), best.Last
}

// isMoveGap reports whether gap, the text between the words for a move, such as "status", and the name of the stage,
// has at most 16 bytes and no mark that ends a sentence, so that both may belong together.
func isMoveGap(gap string) bool {
	return len(gap) <= 16 && !strings.ContainsAny(gap, ".\n;?!(")
}

// hypothetical reports whether other words of the same clause say that the tokens from first up to, not including, last
// are about the future or conditional: a word of the future up to six words before them, or a word such as "next" or
// "if" within four words after them.
func (r *Judge) hypothetical(rd *text.Text, first, last int) bool {
	for i := last; i < min(len(rd.Tokens), last+4) && rd.Tokens[i].Clause == rd.Tokens[last-1].Clause; i++ {
		if isAhead(rd.Tokens[i].Folded) {
			return true // "we take them to IC next week"
		}
	}
	for _, h := range r.words.Status.Find(rd.Tokens[max(0, first-6):min(len(rd.Tokens), last+6)]) {
		at := max(0, first-6) + h.First
		if h.Section == "future" && rd.Tokens[at].Clause == rd.Tokens[first].Clause && at < first {
			return true
		}
	}
	return false
}

// isAhead reports whether a word says that the words before it are about the future, or conditional.
func isAhead(word string) bool {
	return lexicon.In("words for what is ahead", word)
}

// movesOn reports whether a phrase that can mean an end is the beginning of a move to another stage, as "on passe" is
// in "on passe Acme en comité".
func (r *Judge) movesOn(rd *text.Text, p Pipeline, h lexicon.Hit) bool {
	for _, m := range rd.StatusHits {
		if m.First >= h.Last {
			break
		}
		if m.Section == "move" && m.First < h.Last && m.Last > h.Last && m.Last < len(rd.Tokens) {
			if stage, _ := r.stageAt(rd, p, m, m.Last); stage >= 0 && p.Concepts[stage] != lexicon.ConceptLost {
				return true
			}
		}
	}
	return false
}
