package analysis

import "strings"

// statedStage reads "Stage: Diligence", "Status -> Signed", "moved from screening to IC": a stage by its own name where
// nothing but the stage of this deal can be meant.
func (r *Rules) statedStage(rd *reading, p pipeline) (int, hit, bool) {
	for _, h := range rd.statusHits {
		if h.section != "move" || h.last >= len(rd.tokens) || rd.negatedBefore(h.first, r) ||
			r.hypothetical(rd, h.first, h.last) ||
			rd.founderSpeaks(h) && (isOrder(rd.tokens[h.first].folded) || !rd.addressedNear(h)) {
			continue
		}
		for skip := 0; skip <= 1; skip++ { // "to the watchlist"
			if h.last+skip >= len(rd.tokens) || !isMoveGap(rd.body[rd.tokens[h.last-1].end:rd.tokens[h.last+skip].start]) {
				break
			}
			if i, last := r.stageAt(rd, p, h, h.last+skip); i >= 0 && !r.hypothetical(rd, h.first, last) {
				return i, hit{first: h.first, last: last}, true
			}
		}
	}
	return -1, hit{}, false
}

// isOrder tells the words that ask for a stage to be set: a founder may ask for any.
func isOrder(word string) bool {
	switch word {
	case "mark", "marked", "set", "move", "put", "keep", "leave", "markieren", "verschieben", "marquer", "laisser",
		"garder", "dejar", "marcar", "lasciare", "segnare", "mover", "passar", "pasar", "laten", "zetten":
		return true
	}
	return false
}

// stageAt returns the stage that is at token i behind words of moving: by its own name, or by another for the same
// thing ("moving into confirmatory DD") where the words can mean no other movement.
func (r *Rules) stageAt(rd *reading, p pipeline, move hit, i int) (stage, last int) {
	if stage, last = p.nameAt(rd.tokens, i); stage >= 0 {
		return stage, last
	}
	switch rd.tokens[move.first].folded {
	case "go", "goes", "going", "went", "is", "are", "into", "status", "stage", "phase", "put", "set":
		return -1, 0
	}
	best := hit{}
	for _, ph := range r.stages.byFirst[rd.tokens[i].folded] {
		if last := ph.match(rd.tokens, i); last > best.last && ph.section != conceptIntake {
			best = hit{section: ph.section, last: last}
		}
	}
	if best.last == 0 {
		return -1, 0
	}
	return p.stageFor(best.section), best.last
}

// isMoveGap allows only little between "status" and the name of the stage.
func isMoveGap(gap string) bool {
	return len(gap) <= 16 && !strings.ContainsAny(gap, ".\n;?!(")
}

// hypothetical reports whether a word of doubt or of the future stands near before the place in its clause.
func (r *Rules) hypothetical(rd *reading, first, last int) bool {
	for i := last; i < min(len(rd.tokens), last+4) && rd.tokens[i].clause == rd.tokens[last-1].clause; i++ {
		if isAhead(rd.tokens[i].folded) {
			return true // "we take them to IC next week"
		}
	}
	for _, h := range r.status.find(rd.tokens[max(0, first-6):min(len(rd.tokens), last+6)]) {
		at := max(0, first-6) + h.first
		if h.section == "future" && rd.tokens[at].clause == rd.tokens[first].clause && at < first {
			return true
		}
	}
	return false
}

// isAhead tells the words that set what is before them in the future, or under a condition.
func isAhead(word string) bool {
	switch word {
	case "next", "tomorrow", "if", "prochaine", "prochain", "demain", "si", "nachste", "nachsten", "morgen", "wenn",
		"falls", "proxima", "proximo", "manana", "prossima", "prossimo", "domani", "se", "amanha", "volgende", "nastepnym",
		"przyszlym", "jesli", "gelecek", "yarin":
		return true
	}
	return false
}

// movesOn distinguishes "on passe Acme en comité" from "on passe": the words of an end lead to another stage.
func (r *Rules) movesOn(rd *reading, p pipeline, h hit) bool {
	for _, m := range rd.statusHits {
		if m.first >= h.last {
			break
		}
		if m.section == "move" && m.first < h.last && m.last > h.last && m.last < len(rd.tokens) {
			if stage, _ := r.stageAt(rd, p, m, m.last); stage >= 0 && p.concepts[stage] != conceptLost {
				return true
			}
		}
	}
	return false
}
