package analysis

import (
	"fmt"
	"slices"
	"strings"
)

// The meanings that a stage can have, as the sections of stages.txt and status.txt are called.
const (
	conceptIntake    = "intake"
	conceptContacted = "contacted"
	conceptScreening = "screening"
	conceptMeeting   = "meeting"
	conceptPartner   = "partner"
	conceptDiligence = "diligence"
	conceptCommittee = "committee"
	conceptTerms     = "terms"
	conceptWon       = "won"
	conceptLost      = "lost"
	conceptHold      = "hold"
)

func isConcept(section string) bool {
	switch section {
	case conceptIntake, conceptContacted, conceptScreening, conceptMeeting, conceptPartner, conceptDiligence, conceptCommittee, conceptTerms, conceptWon, conceptLost, conceptHold:
		return true
	}
	return false
}

// claim is one place of the text that speaks of a stage.
type claim struct {
	stage   int // index into the account's stages, -1 where it has none of the meaning
	concept string
	score   int
	hit     hit
	named   bool // by the account's own name for it
	weak    bool // named in passing
}

// statusOf returns the stage that the text says the deal is in now, and why; the intake stage for a plain first
// contact; no value where neither holds or the account has no such stage.
func (r *Rules) statusOf(rd *reading, stages []Stage) decision {
	if len(stages) == 0 {
		return decision{reasoning: "The account has no stages."}
	}
	p := r.pipelineOf(stages)
	if i, h, ok := r.statedStage(rd, p); ok {
		d := decision{value: stages[i].ID, at: rd.placeOf(h), features: features{"stated": 1}}
		d.reasoning = fmt.Sprintf("The text names the stage “%s”: “%s”.", stages[i].Name, rd.quote(h))
		d.meaning, d.phrase = r.conceptIn(rd.quote(h))
		return d
	}
	if best, rival, ok := strongest(r.claims(rd, p)); ok {
		if best.stage >= 0 && !best.named {
			best.stage = r.refine(rd, p, best)
		}
		return r.claimed(rd, p, best, rival)
	}
	if rd.isUpdate(r) {
		return decision{reasoning: "The text is news of a company that is known already, and names no stage.", features: features{"update": 1}}
	}
	if p.intake >= 0 {
		d := decision{value: stages[p.intake].ID, at: rd.opening(), features: features{"intake": 1}}
		d.features.set("intake_note", !rd.isLetter() && !rd.founderVoice && !rd.isForm())
		d.reasoning = fmt.Sprintf("A first contact, as far as the text tells, so the intake stage “%s”.", stages[p.intake].Name)
		return d
	}
	return decision{reasoning: "The text names no stage, and the account has none for a first contact.", features: features{"silent": 1}}
}

// strongest returns the claim that decides, the last of equals, and the score of the best one for another stage.
func strongest(all []claim) (best claim, rival int, ok bool) {
	for _, c := range all {
		if c.score > 0 && (!ok || c.beats(best)) {
			best, ok = c, true
		}
	}
	for _, c := range all {
		if c.stage != best.stage {
			rival = max(rival, c.score)
		}
	}
	return best, rival, ok
}

// beats reports whether the claim is stronger than another: one for a stage that the account has before one for none,
// then the higher score, then the later place.
func (c claim) beats(o claim) bool {
	if (c.stage < 0) != (o.stage < 0) {
		return o.stage < 0
	}
	return c.score > o.score || c.score == o.score && c.hit.first > o.hit.first
}

// claimed makes the decision of the claim that won.
func (r *Rules) claimed(rd *reading, p pipeline, best claim, rival int) decision {
	d := decision{at: rd.placeOf(best.hit), features: features{"claim": 1}}
	d.features["margin"] = float64(min(best.score-rival, 20)) / 10
	d.features.set("named", best.named)
	d.features.set("weak", best.weak)
	d.features.set("founder", rd.founderVoice)
	d.meaning, d.phrase = r.conceptIn(rd.quote(best.hit))
	if best.stage < 0 {
		d.features = features{"absent": 1}
		d.reasoning = fmt.Sprintf("The text speaks of a stage that the account does not have: “%s”.", rd.quote(best.hit))
		return d
	}
	d.features.set("nearest", p.concepts[best.stage] != best.concept)
	d.value = p.stages[best.stage].ID
	d.reasoning = fmt.Sprintf("The text says that the deal is in “%s”: “%s”.", p.stages[best.stage].Name, rd.quote(best.hit))
	return d
}

// pipeline is the account's stages as the rules read them.
type pipeline struct {
	stages   []Stage
	concepts []string
	names    []string   // folded words
	speaks   [][]string // the concepts in each name
	aliases  []string   // the beginning of a name that numbers the stage, "stage 2" of "Stage 2 - DD"; "" for none
	intake   int        // -1 for none
}

// bareName takes the number off the front of a stage's name: "01 Fresh".
func bareName(name string) string {
	bare := strings.TrimLeft(name, " \t0123456789.)#:-–—")
	if at := len(name) - len(bare); at > 0 && hasDigit(name[at-1:at]) && startsLower(bare) {
		return name // "2nd call"
	}
	return bare
}

func (r *Rules) pipelineOf(stages []Stage) pipeline {
	p := pipeline{stages: stages, intake: -1}
	lowest := -1
	for i, s := range stages {
		name := wordKey(bareName(s.Name))
		p.names = append(p.names, name)
		p.aliases = append(p.aliases, aliasOf(s.Name))
		p.speaks = append(p.speaks, r.conceptsOf(s.Name))
		p.concepts = append(p.concepts, r.conceptOf(name))
		if p.concepts[i] == conceptIntake && (p.intake < 0 || s.Rank < stages[p.intake].Rank) {
			p.intake = i
		}
		if lowest < 0 || s.Rank < stages[lowest].Rank {
			lowest = i
		}
	}
	if c := p.concepts[lowest]; p.intake < 0 && (c == "" || c == conceptScreening) {
		p.intake = lowest // a first stage of an unknown name, or one like "Evaluation"
	}
	return p
}

// aliasOf returns the numbered part that a stage's name begins with.
func aliasOf(name string) string {
	i := strings.IndexAny(name, "-–—:|/")
	if i <= 0 || !hasDigit(name[:i]) || strings.Trim(name[:i], " 0123456789.") == "" {
		return ""
	}
	return wordKey(name[:i])
}

// conceptOf reads the name of a stage: the section of the longest phrase in it, the first of equals.
func (r *Rules) conceptOf(name string) string {
	if concept := r.stages.exact(name); concept != "" {
		return concept
	}
	best, words := "", 0
	for _, h := range r.stages.find(tokenize(name)) {
		if h.words > words && name[:min(len(name), 3)] != "in " || h.words > max(words, 1) {
			best, words = h.section, h.words
		}
	}
	return best
}

// stageFor returns the stage of a meaning, or of the nearest one that the account has a stage for; -1 for none.
func (p pipeline) stageFor(concept string) int {
	for _, c := range nearest(concept) {
		i := slices.Index(p.concepts, c)
		if concept == conceptWon && c != concept { // the last step before
			for n := range p.concepts {
				if p.concepts[n] == c {
					i = n
				}
			}
		}
		if i >= 0 {
			return i
		}
	}
	return p.between(concept)
}

// between returns the only stage of an unknown name that stands where one of the meaning would, between the stages
// before and behind it; -1 where there is none or more.
func (p pipeline) between(concept string) int {
	if concept == conceptHold || concept == conceptLost || concept == conceptIntake {
		return -1
	}
	found, rank := -1, rankOf(concept)
	for i, c := range p.concepts {
		if c != "" || i == p.intake || !p.fits(i, rank) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// fits reports whether a meaning of the rank may be at the place of the stage: behind all that is earlier, before all
// that is later.
func (p pipeline) fits(at, rank int) bool {
	for i, c := range p.concepts {
		if c == "" || c == conceptHold || c == conceptLost {
			continue
		}
		earlier := p.stages[i].Rank < p.stages[at].Rank
		if earlier && rankOf(c) > rank || !earlier && rankOf(c) < rank {
			return false
		}
	}
	return true
}

// nearest lists the meanings that may be in for one that the account has no stage of.
func nearest(concept string) []string {
	switch concept {
	case conceptContacted:
		return []string{conceptContacted, conceptIntake}
	case conceptScreening:
		return []string{conceptScreening, conceptIntake}
	case conceptMeeting:
		return []string{conceptMeeting, conceptContacted}
	case conceptPartner:
		return []string{conceptPartner, conceptMeeting}
	case conceptDiligence:
		return []string{conceptDiligence}
	case conceptCommittee:
		return []string{conceptCommittee, conceptDiligence}
	case conceptTerms:
		return []string{conceptTerms}
	case conceptWon:
		return []string{conceptWon, conceptTerms}
	}
	return []string{concept}
}

// nameAt returns the stage whose whole name is at token i, the longest of several, and the index behind it.
func (p pipeline) nameAt(tokens []token, i int) (stage, last int) {
	stage, longest := -1, 0
	for s := range p.stages {
		for _, name := range []string{p.names[s], p.aliases[s]} {
			if n := wordsAt(tokens, i, name); n > longest {
				stage, longest = s, n
			}
		}
	}
	return stage, i + longest
}

// formAt returns the stage whose name is at token i in any form: a long word may have another ending.
func (p pipeline) formAt(tokens []token, i int) (stage, last int) {
	stage, longest := -1, 0
	for s, name := range p.names {
		if n := formsAt(tokens, i, name); n > longest {
			stage, longest = s, n
		}
	}
	return stage, i + longest
}

func formsAt(tokens []token, i int, name string) int {
	const shortest, ending = 5, 6
	n := 0
	for w := range strings.FieldsSeq(name) {
		if i+n >= len(tokens) {
			return 0
		}
		word := tokens[i+n].folded
		same := word == w || len(w) >= shortest && strings.HasPrefix(word, w) && len(word)-len(w) <= ending ||
			len(w) > shortest && strings.HasSuffix(w, "a") && strings.HasPrefix(word, w[:len(w)-1]) && len(word)-len(w) <= 2 // "w analizie"
		if !same {
			return 0
		}
		n++
	}
	return n
}

// wordsAt returns how many words the name has, if they are at token i; else 0.
func wordsAt(tokens []token, i int, name string) int {
	n := 0
	for w := range strings.FieldsSeq(name) {
		if i+n >= len(tokens) || tokens[i+n].folded != w && !sameOrdinal(tokens[i+n].folded, w) {
			return 0
		}
		n++
	}
	return n
}

// isUpdate distinguishes the news of a company that the investor knows already from a first contact.
func (rd *reading) isUpdate(r *Rules) bool {
	for _, h := range r.summary.find(rd.tokens) {
		if h.section == "update" && rd.tokens[h.first].start < nearBeginning {
			return true
		}
	}
	for _, m := range rd.mails {
		if r.summary.has("update", m.subject) {
			return true
		}
	}
	return false
}

// sameOrdinal distinguishes "second" from any other word than "2nd".
func sameOrdinal(word, other string) bool {
	return ordinal(word) != "" && ordinal(word) == ordinal(other)
}

func ordinal(word string) string {
	switch word {
	case "1st", "first", "1er", "1o", "1a", "1e", "1ste", "primera", "primer", "primo", "prima", "premier", "premiere", "erstes", "erster", "erste", "eerste", "pierwsze", "pierwsza", "ilk":
		return "1"
	case "2nd", "second", "2eme", "2o", "2a", "2e", "2de", "segunda", "segundo", "secondo", "seconda", "deuxieme", "zweites", "zweiter", "zweite", "tweede", "drugie", "druga", "ikinci":
		return "2"
	case "3rd", "third", "3eme", "3o", "3a", "3e", "3de", "tercera", "tercer", "terzo", "terza", "troisieme", "drittes", "dritter", "dritte", "derde", "trzecie", "trzecia", "ucuncu":
		return "3"
	}
	return ""
}
