package analysis

import (
	"strconv"
	"strings"

	"dealflow/internal/analysis/rank"
)

// meanings are what a text can say of a deal's stage, and what a stage can be for. A text can say none too, which
// stands behind them.
func meanings() []string {
	return []string{
		conceptIntake, conceptContacted, conceptScreening, conceptMeeting, conceptPartner, conceptDiligence, conceptCommittee,
		conceptTerms, conceptWon, conceptLost, conceptHold,
	}
}

// stageVector describes a stage by its name, in any language, and by its place among the others. known says whether
// what the lexicon makes of the name is used.
func (p pipeline) stageVector(i int, known bool) rank.Vector {
	v := nameVector(p.stages[i].Name, p.speaks[i])
	if known && p.concepts[i] != "" {
		v.Add("concept "+p.concepts[i], 3)
	}
	before, after := 0, 0
	last, next := "none", "none"
	lastRank, nextRank := 0, 0
	for n, s := range p.stages {
		switch {
		case n == i:
		case s.Rank < p.stages[i].Rank:
			before++
			if last == "none" || s.Rank >= lastRank {
				last, lastRank = p.concepts[n], s.Rank
			}
		default:
			after++
			if next == "none" || s.Rank < nextRank {
				next, nextRank = p.concepts[n], s.Rank
			}
		}
	}
	v.Add("behind "+strconv.Itoa(min(before, 5)), 1)
	v.Add("ahead "+strconv.Itoa(min(after, 5)), 1)
	v.Add("place "+strconv.Itoa(5*before/max(1, before+after)), 1)
	v.Add("last "+last, 0.5)
	v.Add("next "+next, 0.5)
	for _, c := range p.concepts {
		if c != "" {
			v.Add("has "+c, 0.2)
		}
	}
	return v
}

// stageNameVector describes a name alone.
func (r *Rules) stageNameVector(name string) rank.Vector { return nameVector(name, r.conceptsOf(name)) }

// nameVector describes a name by its words, parts of them, its signs, and the concepts in it.
func nameVector(name string, concepts []string) rank.Vector {
	var v rank.Vector
	for _, concept := range concepts {
		v.Add("speaks of "+concept, 2)
	}
	v.Add("always", 1)
	tokens := tokenize(bareName(name))
	for i, t := range tokens {
		v.Add("word "+t.folded, 1)
		if i > 0 {
			v.Add("pair "+tokens[i-1].folded+" "+t.folded, 1)
		}
		partsOfName(&v, "^"+t.folded+"$")
	}
	for _, c := range name {
		if c > 0x2190 && !isWordRune(c) {
			v.Add("sign "+string(c), 1)
		}
	}
	v.Set("number", strings.ContainsAny(name, "0123456789"))
	return v
}

func partsOfName(v *rank.Vector, word string) {
	runes := []rune(word)
	for n := 3; n <= 5; n++ {
		for i := 0; i+n <= len(runes); i++ {
			v.Add("part "+string(runes[i:i+n]), 0.4)
		}
	}
}

// senses returns, for each stage, the probability of each meaning.
func (r *Rules) senses(p pipeline) [][]float64 {
	all := make([][]float64, len(p.stages))
	for i := range p.stages {
		all[i] = r.models[rankStageName].Classify(p.stageVector(i, true))
	}
	return all
}
