package founders

import (
	"slices"
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/rank"
)

// mostPlaces is how many places of a person are looked at for neighbours.
const mostPlaces = 6

// neighbour is a place of a person, by their number.
type neighbour struct {
	person int
	at     lexicon.Hit
}

// joints are the vectors of people to which what is sure of their neighbours is added, once each.
type joints struct {
	vectors []rank.Vector
	sure    [][]string
	joined  [][]rank.Key
}

// joinNeighbours adds to those who are named side by side what is sure of each other: whoever is joined to a founder by
// "and", in any language, is likely one too.
func (c *Context) joinNeighbours(all []*Person, vectors []rank.Vector, sure [][]string) {
	byFirst := map[int][]neighbour{}
	for i, p := range all {
		if c.nth[p] == 0 && len(sure[i]) == 0 {
			continue
		}
		for _, h := range p.At[:min(len(p.At), mostPlaces)] {
			byFirst[h.First] = append(byFirst[h.First], neighbour{i, h})
		}
	}
	j := &joints{vectors: vectors, sure: sure, joined: make([][]rank.Key, len(all))}
	for i, p := range all {
		for _, h := range p.At[:min(len(p.At), mostPlaces)] {
			c.joinNext(j, byFirst, neighbour{i, h})
		}
	}
}

// joinNext joins a person to those who follow, with at most two words between.
func (c *Context) joinNext(j *joints, byFirst map[int][]neighbour, one neighbour) {
	const farthest = 2
	for gap := range farthest + 1 {
		for _, next := range byFirst[one.at.Last+gap] {
			if between, ok := c.between(one.at, next.at); ok && next.person != one.person {
				j.join(one.person, next.person, "before", between)
				j.join(next.person, one.person, "behind", between)
			}
		}
	}
}

// between returns the marks and words between two places in one line.
func (c *Context) between(a, b lexicon.Hit) (string, bool) {
	const longest = 16
	text := c.rd.Body[c.rd.Tokens[a.Last-1].End:c.rd.Tokens[b.First].Start]
	if len(text) > longest || strings.Contains(text, "\n") {
		return "", false
	}
	return lexicon.Fold(strings.TrimSpace(text)), true
}

// join adds to a person what is sure of another who is named on one side, and what is between them.
func (j *joints) join(person, other int, side, between string) {
	key := rank.NewKey("joined ").Append(side)
	j.add(person, key.Append(" by ").Append(between))
	for _, name := range j.sure[other] {
		j.add(person, key.Append(" to ").Append(name))
		j.add(person, key.Append(" by ").Append(between).Append(" to ").Append(name))
	}
}

func (j *joints) add(person int, key rank.Key) {
	if !slices.Contains(j.joined[person], key) {
		j.joined[person] = append(j.joined[person], key)
		j.vectors[person].AddKey(key, 0.7)
	}
}
