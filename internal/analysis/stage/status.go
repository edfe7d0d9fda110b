package stage

import (
	"fmt"
	"slices"
	"strings"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/evidence"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/source"
	"dealflow/internal/analysis/text"
)

// Claim is one phrase of the text that mentions a stage. The higher the Score, the stronger is the evidence that the
// deal is in that stage; a negative Score is evidence against it.
type Claim struct {
	Stage   int // index into the account's stages, -1 if it has none of the meaning
	concept string
	Score   int
	Hit     lexicon.Hit
	named   bool // by the account's own name for it
	weak    bool // named in passing
}

// StatusOf returns the stage that the text says the deal is in now, and why. If the text mentions no stage, that is the
// intake stage. Value is "" if the text mentions a stage that the account does not have, if it mentions none and is
// news of a company that is known already, or if the account has no intake stage or no stages at all. Confidence is not
// set.
func (r *Judge) StatusOf(rd *people.Scene, stages []analysis.Stage) evidence.Decision {
	if len(stages) == 0 {
		return evidence.Decision{Reasoning: "The account has no stages."}
	}
	p := r.PipelineOf(stages)
	if i, h, ok := r.statedStage(rd, p); ok {
		d := evidence.Decision{Value: stages[i].ID, At: rd.SpanOf(h), Features: evidence.Features{"stated": 1}}
		d.Reasoning = fmt.Sprintf("The text names the stage “%s”: “%s”.", stages[i].Name, rd.Quote(h))
		d.Meaning, d.Phrase = r.conceptIn(rd.Quote(h))
		return d
	}
	if best, rival, ok := strongest(r.claims(rd, p)); ok {
		if best.Stage >= 0 && !best.named {
			best.Stage = r.refine(rd.Text, p, best)
		}
		return r.claimed(rd, p, best, rival)
	}
	if IsUpdate(rd.Text, r) {
		return evidence.Decision{
			Reasoning: "The text is news of a company that is already known, and names no stage.",
			Features:  evidence.Features{"update": 1},
		}
	}
	if p.Intake >= 0 {
		d := evidence.Decision{Value: stages[p.Intake].ID, At: rd.Opening(), Features: evidence.Features{"intake": 1}}
		d.Features.Set("intake_note", !rd.IsLetter() && !rd.FounderVoice && !rd.IsForm())
		d.Reasoning = fmt.Sprintf("The text reads like a first contact, so the status is the intake stage “%s”.",
			stages[p.Intake].Name)
		return d
	}
	return evidence.Decision{
		Reasoning: "The text names no stage, and the account has none for a first contact.",
		Features:  evidence.Features{"silent": 1},
	}
}

// strongest returns the claim that beats all others (see beats), and the best score of a claim for another stage, 0 if
// there is none. Claims without a score above 0 do not count; ok is false if there are no others.
func strongest(all []Claim) (best Claim, rival int, ok bool) {
	for _, c := range all {
		if c.Score > 0 && (!ok || c.beats(best)) {
			best, ok = c, true
		}
	}
	for _, c := range all {
		if c.Stage != best.Stage {
			rival = max(rival, c.Score)
		}
	}
	return best, rival, ok
}

// beats reports whether the claim is stronger than another. A claim for a stage that the account has is stronger than
// one for a stage that it lacks; then the higher score decides, then the later phrase.
func (c Claim) beats(o Claim) bool {
	if (c.Stage < 0) != (o.Stage < 0) {
		return o.Stage < 0
	}
	return c.Score > o.Score || c.Score == o.Score && c.Hit.First > o.Hit.First
}

// claimed returns the decision for best, the claim that strongest returned. rival is the score of the best claim for
// another stage.
func (r *Judge) claimed(rd *people.Scene, p Pipeline, best Claim, rival int) evidence.Decision {
	d := evidence.Decision{At: rd.SpanOf(best.Hit), Features: evidence.Features{"claim": 1}}
	d.Features["margin"] = float64(min(best.Score-rival, 20)) / 10
	d.Features.Set("named", best.named)
	d.Features.Set("weak", best.weak)
	d.Features.Set("founder", rd.FounderVoice)
	d.Meaning, d.Phrase = r.conceptIn(rd.Quote(best.Hit))
	if best.Stage < 0 {
		d.Features = evidence.Features{"absent": 1}
		d.Reasoning = fmt.Sprintf("The text speaks of a stage that the account does not have: “%s”.", rd.Quote(best.Hit))
		return d
	}
	d.Features.Set("nearest", p.Concepts[best.Stage] != best.concept)
	d.Value = p.Stages[best.Stage].ID
	d.Reasoning = fmt.Sprintf("The text says that the deal is in “%s”: “%s”.", p.Stages[best.Stage].Name,
		rd.Quote(best.Hit))
	return d
}

// Pipeline is the account's stages with the meanings that the rules found for their names.
type Pipeline struct {
	Stages   []analysis.Stage
	Concepts []string   // the meaning of each name; "" if it is unknown
	names    []string   // folded words
	speaks   [][]string // the concepts in each name
	aliases  []string   // the beginning of a name that numbers the stage, "stage 2" of "Stage 2 - DD"; "" for none
	Intake   int        // the index of the stage of first contacts, -1 for none
}

// bareName returns a stage's name without a number before it: "Fresh" for "01 Fresh"; "" for a name that is only a
// number. A number that is part of a word, as in "2nd call", is kept.
func bareName(name string) string {
	bare := strings.TrimLeft(name, " \t0123456789.)#:-–—")
	if at := len(name) - len(bare); at > 0 && lexicon.HasDigit(name[at-1:at]) && lexicon.StartsLower(bare) {
		return name // "2nd call"
	}
	return bare
}

// PipelineOf finds the meanings of the names of an account's stages, and the intake stage. If no name means intake,
// that is the stage with the lowest Rank, unless its name has a meaning other than screening. There must be at least
// one stage.
func (r *Judge) PipelineOf(stages []analysis.Stage) Pipeline {
	p := Pipeline{Stages: stages, Intake: -1}
	lowest := -1
	for i, s := range stages {
		name := lexicon.WordKey(bareName(s.Name))
		p.names = append(p.names, name)
		p.aliases = append(p.aliases, aliasOf(s.Name))
		p.speaks = append(p.speaks, r.conceptsOf(s.Name))
		p.Concepts = append(p.Concepts, r.conceptOf(name))
		if p.Concepts[i] == lexicon.ConceptIntake && (p.Intake < 0 || s.Rank < stages[p.Intake].Rank) {
			p.Intake = i
		}
		if lowest < 0 || s.Rank < stages[lowest].Rank {
			lowest = i
		}
	}
	if c := p.Concepts[lowest]; p.Intake < 0 && (c == "" || c == lexicon.ConceptScreening) {
		p.Intake = lowest // a first stage of an unknown name, or one like "Evaluation"
	}
	return p
}

// aliasOf returns the part with a number at the beginning of a stage's name, up to the first dash, colon, bar or slash:
// "stage 2" for "Stage 2 - DD". It returns "" if there is none, or if the part is only a number.
func aliasOf(name string) string {
	i := strings.IndexAny(name, "-–—:|/")
	if i <= 0 || !lexicon.HasDigit(name[:i]) || strings.Trim(name[:i], " 0123456789.") == "" {
		return ""
	}
	return lexicon.WordKey(name[:i])
}

// conceptOf returns the meaning of a stage's name, a result of lexicon.WordKey: that of the whole name, else the
// section of the longest phrase in it, the first of equally long ones; "" if it is unknown. In a name that begins with
// "in ", a single word does not count. Names such as "Scheduled" or "Held", which only tell two stages of one meaning
// apart, have none.
func (r *Judge) conceptOf(name string) string {
	if concept := r.words.Stages.Exact(name); lexicon.IsConcept(concept) {
		return concept
	}
	best, words := "", 0
	for _, h := range r.words.Stages.Find(lexicon.Tokenize(name)) {
		if !lexicon.IsConcept(h.Section) {
			continue
		}
		if h.Words > words && name[:min(len(name), 3)] != "in " || h.Words > max(words, 1) {
			best, words = h.Section, h.Words
		}
	}
	return best
}

// stageFor returns the index of the first stage of a meaning in p.Stages, or of the nearest meaning that the account
// has a stage for, else the result of between; -1 for none. For a won deal without a stage, it returns the last stage
// for terms.
func (p Pipeline) stageFor(concept string) int {
	for _, c := range nearest(concept) {
		i := slices.Index(p.Concepts, c)
		if concept == lexicon.ConceptWon && c != concept { // the last step before
			for n := range p.Concepts {
				if p.Concepts[n] == c {
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

// between returns the only stage of unknown meaning at the position where a stage of this meaning would be: after the
// stages that come before it, and before those that come later. It returns -1 if there is none or several, and for the
// intake, a deal on hold and a lost one, which may be anywhere.
func (p Pipeline) between(concept string) int {
	if concept == lexicon.ConceptHold || concept == lexicon.ConceptLost || concept == lexicon.ConceptIntake {
		return -1
	}
	found, rank := -1, rankOf(concept)
	for i, c := range p.Concepts {
		if c != "" || i == p.Intake || !p.fits(i, rank) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// fits reports whether a stage whose meaning has this rank, as rankOf returns it, may be at the position of stage at:
// after all stages whose meanings have lower ranks, and before all whose meanings have higher ones.
func (p Pipeline) fits(at, rank int) bool {
	for i, c := range p.Concepts {
		if c == "" || c == lexicon.ConceptHold || c == lexicon.ConceptLost {
			continue
		}
		earlier := p.Stages[i].Rank < p.Stages[at].Rank
		if earlier && rankOf(c) > rank || !earlier && rankOf(c) < rank {
			return false
		}
	}
	return true
}

// nearest returns a meaning, followed by the meanings whose stages replace it, in this order, if the account has no
// stage of that meaning.
func nearest(concept string) []string {
	switch concept {
	case lexicon.ConceptContacted:
		return []string{lexicon.ConceptContacted, lexicon.ConceptIntake}
	case lexicon.ConceptScreening:
		return []string{lexicon.ConceptScreening, lexicon.ConceptIntake}
	case lexicon.ConceptMeeting:
		return []string{lexicon.ConceptMeeting, lexicon.ConceptContacted}
	case lexicon.ConceptPartner:
		return []string{lexicon.ConceptPartner, lexicon.ConceptMeeting}
	case lexicon.ConceptDiligence:
		return []string{lexicon.ConceptDiligence}
	case lexicon.ConceptCommittee:
		return []string{lexicon.ConceptCommittee, lexicon.ConceptDiligence}
	case lexicon.ConceptTerms:
		return []string{lexicon.ConceptTerms}
	case lexicon.ConceptWon:
		return []string{lexicon.ConceptWon, lexicon.ConceptTerms}
	}
	return []string{concept}
}

// nameAt returns the stage whose whole name, or whose alias (see aliasOf), is at token i, the longest of several, and
// the index after it. stage is -1 if there is none.
func (p Pipeline) nameAt(tokens []lexicon.Token, i int) (stage, last int) {
	stage, longest := -1, 0
	word := tokens[i].Folded
	isOrdinal := lexicon.Ordinal(word) != ""
	for s := range p.Stages {
		for _, name := range [...]string{p.names[s], p.aliases[s]} {
			if name == "" || word == "" || name[0] != word[0] && !isOrdinal {
				continue // most names, so that their words need not be compared
			}
			if n := wordsAt(tokens, i, name); n > longest {
				stage, longest = s, n
			}
		}
	}
	return stage, i + longest
}

// formAt returns the stage whose name is at token i in any form, the longest of several, and the index after it; stage
// is -1 if there is none. A long word may have another ending.
func (p Pipeline) formAt(tokens []lexicon.Token, i int) (stage, last int) {
	stage, longest := -1, 0
	for s, name := range p.names {
		if n := formsAt(tokens, i, name); n > longest {
			stage, longest = s, n
		}
	}
	return stage, i + longest
}

func formsAt(tokens []lexicon.Token, i int, name string) int {
	const shortest, ending = 5, 6
	n := 0
	for w := range strings.FieldsSeq(name) {
		if i+n >= len(tokens) {
			return 0
		}
		word := tokens[i+n].Folded
		same := word == w || len(w) >= shortest && strings.HasPrefix(word, w) && len(word)-len(w) <= ending ||
			// "w analizie"
			len(w) > shortest && strings.HasSuffix(w, "a") && strings.HasPrefix(word, w[:len(w)-1]) && len(word)-len(w) <= 2
		if !same {
			return 0
		}
		n++
	}
	return n
}

// wordsAt returns how many words the name has, if they are at token i; else 0.
func wordsAt(tokens []lexicon.Token, i int, name string) int {
	n := 0
	for w := range strings.FieldsSeq(name) {
		if i+n >= len(tokens) || tokens[i+n].Folded != w && !sameOrdinal(tokens[i+n].Folded, w) {
			return 0
		}
		n++
	}
	return n
}

// IsUpdate reports whether a text is news of a company that the investor knows already, and not a first contact:
// whether a phrase near the beginning of the text, or one in a mail's subject, says so.
func IsUpdate(rd *text.Text, r *Judge) bool {
	for _, h := range r.words.Summary.Find(rd.Tokens) {
		if h.Section == "update" && rd.Tokens[h.First].Start < source.NearBeginning {
			return true
		}
	}
	for _, m := range rd.Mails {
		if r.words.Summary.Has("update", m.Subject) {
			return true
		}
	}
	return false
}

// sameOrdinal reports whether two words are the same ordinal, as "second" and "2nd" are.
func sameOrdinal(word, other string) bool {
	n := lexicon.Ordinal(other)
	return n != "" && n == lexicon.Ordinal(word)
}
