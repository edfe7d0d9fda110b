package stage

import (
	"slices"
	"strconv"
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/rank"
)

// StageVector returns the features of stage i: of its name, in any language, and of its position among the others. If
// known is true, they include the meaning that the lexicon has for the name.
func (p Pipeline) StageVector(i int, known bool) rank.Vector {
	v := nameVector(p.Stages[i].Name, p.speaks[i])
	if known && p.Concepts[i] != "" {
		v.Add("concept "+p.Concepts[i], 3)
	}
	before, after := 0, 0
	last, next := "none", "none"
	lastRank, nextRank := 0, 0
	for n, s := range p.Stages {
		switch {
		case n == i:
		case s.Rank < p.Stages[i].Rank:
			before++
			if last == "none" || s.Rank >= lastRank {
				last, lastRank = p.Concepts[n], s.Rank
			}
		default:
			after++
			if next == "none" || s.Rank < nextRank {
				next, nextRank = p.Concepts[n], s.Rank
			}
		}
	}
	v.Add("behind "+strconv.Itoa(min(before, 5)), 1)
	v.Add("ahead "+strconv.Itoa(min(after, 5)), 1)
	v.Add("place "+strconv.Itoa(5*before/max(1, before+after)), 1)
	v.Add("last "+last, 0.5)
	v.Add("next "+next, 0.5)
	for _, c := range p.Concepts {
		if c != "" {
			v.Add("has "+c, 0.2)
		}
	}
	return v
}

// StageNameVector returns the features of a stage's name alone.
func (r *Judge) StageNameVector(name string) rank.Vector { return nameVector(name, r.conceptsOf(name)) }

// nameVector returns the features of a stage's name: its words, pairs and parts of words, symbols such as emoji, the
// concepts that it mentions, and whether it has a digit.
func nameVector(name string, concepts []string) rank.Vector {
	var v rank.Vector
	for _, concept := range concepts {
		v.Add("speaks of "+concept, 2)
	}
	v.Add("always", 1)
	tokens := lexicon.Tokenize(bareName(name))
	for i, t := range tokens {
		v.Add("word "+t.Folded, 1)
		if i > 0 {
			v.Add("pair "+tokens[i-1].Folded+" "+t.Folded, 1)
		}
		partsOfName(&v, "^"+t.Folded+"$")
	}
	for _, c := range name {
		if c > 0x2190 && !lexicon.IsWordRune(c) {
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

// Senses returns, for each stage of p, the probability of each meaning, in the order of rank.StageMeaningNames. It
// judges by the stage's name and position and by the stages around it.
func (r *Judge) Senses(p Pipeline) [][]float64 {
	order := p.byRank()
	named := make([][]float64, len(order))
	for n, i := range order {
		named[n] = r.names.Classify(p.StageVector(i, true))
	}
	all := make([][]float64, len(order))
	var chain []int
	for n, i := range order {
		if isOutOfOrder(named, n) {
			all[i] = named[n]
		} else {
			chain = append(chain, n)
		}
	}
	inChain := make([][]float64, len(chain))
	for k, n := range chain {
		inChain[k] = named[n]
	}
	for k, q := range r.inOrder(inChain) {
		all[order[chain[k]]] = q
	}
	return all
}

// isOutOfOrder reports whether stage n is for lost deals or deals on hold and a stage after it is for another step of a
// deal, each surely (see isSure). Such stages may be anywhere, and show nothing about the stages around them. named are
// the probabilities of meanings by the StageVector of each stage, in the order of the ranks.
func isOutOfOrder(named [][]float64, n int) bool {
	return isSure(named[n], true) && slices.ContainsFunc(named[n+1:], func(q []float64) bool { return isSure(q, false) })
}

// isSure reports whether the likeliest meaning in q, the probabilities of a stage's meanings, has at least 0.8. If
// aside is true, that must be the meaning of lost deals or of deals on hold; if it is false, any other but "other".
func isSure(q []float64, aside bool) bool {
	const sure = 0.8
	best := rank.Best(q)
	switch rank.StageMeaningNames()[best] {
	case lexicon.ConceptLost, lexicon.ConceptHold:
		return aside && q[best] >= sure
	}
	return !aside && q[best] >= sure && best < len(lexicon.Meanings())
}
