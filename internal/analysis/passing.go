package analysis

// wordsForStages returns the places where a stage is named in passing, by a word for it or by the account's own name
// in any form ("görüşmemiz", "we are reviewing it"). They are weak, and count where nothing stronger is said.
func (r *Rules) wordsForStages(rd *reading, p pipeline, said []hit, frames frames) []claim {
	var found []claim
	for _, h := range r.stages.find(rd.tokens) {
		words := rd.body[rd.tokens[h.first].start:rd.tokens[h.last-1].end]
		if h.section == conceptIntake || covered(said, h) || h.words == 1 && isVague(fold(words)) {
			continue
		}
		found = append(found, claim{
			stage: p.stageFor(h.section), concept: h.section, hit: h, weak: true, score: r.weigh(rd, h, frames) + weightWeak,
		})
	}
	found = append(found, r.talks(rd, p, frames)...)
	for i := range rd.tokens {
		stage, last := p.formAt(rd.tokens, i)
		if stage < 0 || p.concepts[stage] == conceptIntake || isVague(rd.tokens[i].folded) {
			continue
		}
		h := hit{section: p.concepts[stage], first: i, last: last, words: last - i}
		found = append(found, claim{
			stage: stage, concept: p.concepts[stage], hit: h, named: true, weak: true,
			score: r.weigh(rd, h, frames) + weightWeak + weightNamed,
		})
	}
	return found
}

// talks returns the places where a call or a meeting is spoken of that has been or is to come: the words alone say
// nothing.
func (r *Rules) talks(rd *reading, p pipeline, frames frames) []claim {
	var found []claim
	for _, h := range rd.statusHits {
		if h.section != "talk" {
			continue
		}
		scheduled, held, settled := r.tense(rd, h)
		if !held && !settled && (!scheduled || rd.founderSpeaks(h)) {
			continue
		}
		h.section = conceptMeeting
		found = append(found, claim{
			stage: p.stageFor(conceptMeeting), concept: conceptMeeting, hit: h, weak: true,
			score: r.weigh(rd, h, frames) + weightWeak,
		})
	}
	return found
}

// isVague tells the single words for stages that say much else too.
func isVague(word string) bool {
	switch word {
	case "no", "in", "out", "done", "later", "warm", "docs", "documents", "legal", "offer", "offers", "contract",
		"contracts", "decision", "investment", "investments", "closed", "close", "closing", "signed", "terms", "audit",
		"monitor",
		"watch", "track", "hold", "dead", "pass", "passed", "lost", "won", "portfolio", "active", "parked", "call",
		"meeting", "meetings", "pitch", "interview", "contact", "contacted", "partner", "partners", "review", "memo",
		"gesprach", "termin", "treffen", "rendez-vous", "appel", "entretien", "reunion", "llamada", "incontro", "chiamata",
		"reuniao", "chamada", "afspraak", "gesprek", "spotkanie", "rozmowa", "gorusme", "toplanti", "instruction",
		"approval", "commitments", "committed", "zoom", "deals", "accepted", "admitted", "rencontre", "rencontres", "filter",
		"radar", "coffee", "interesting", "interested", "interessant", "interessante", "met", "pitched", "chat", "lunch",
		"dinner", "intro", "demo", "replied", "responded", "talked", "exited", "exit", "funded", "invested", "due", "open",
		"progress", "selected", "waitlist", "vertrag", "beteiligung", "signe", "inwestycja", "umowa", "firmato", "contrato",
		"portfolyo", "deal", "gewonnen", "verloren":
		return true
	}
	return false
}

// remarkConcept returns the meaning of a clause that is nothing but a word for a stage. Words that say much else when
// they stand alone ("interesting", "call", "done") do not count.
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
	case "no", "in", "out", "done", "later", "warm", "docs", "documents", "legal", "offer", "contract", "contracts",
		"decision", "investment", "closed", "signed", "terms", "audit", "monitor", "watch", "track", "hold", "dead",
		"accepted", "selected", "admitted", "deal", "signing", "exited", "active", "radar":
		return ""
	}
	return concept
}

// isDistinct reports whether a single word, the name of a stage, is written as a name: with a capital within a
// sentence.
func (r *Rules) isDistinct(rd *reading, i int, written string) bool {
	if !startsUpper(written) {
		return false
	}
	return i > 0 && rd.tokens[i-1].sentence == rd.tokens[i].sentence || isUnspaced([]rune(written)[0])
}

// isGoal reports whether a word leads to the token as to where something is put: "moved Acme to Passed".
func (rd *reading) isGoal(i int) bool {
	if i == 0 || rd.tokens[i-1].clause != rd.tokens[i].clause {
		return false
	}
	switch rd.tokens[i-1].folded {
	case "to", "into", "in", "as", "auf", "nach", "als", "en", "vers", "a", "como", "para", "come", "naar", "op", "do",
		"na", "jako":
		return true
	}
	return false
}
