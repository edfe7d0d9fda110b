package founders

import (
	"slices"
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/rank"
)

// mostOccurrences is the most occurrences of a person's name at which neighbours are looked for.
const mostOccurrences = 6

// neighbour is one occurrence of a person's name, with the index of the person.
type neighbour struct {
	person int
	at     lexicon.Hit
}

// joints has, by the index of each person, their features, the names of their strongest features (see pairs), and the
// keys that were added for neighbours. Each key is added once.
type joints struct {
	vectors []rank.Vector
	sure    [][]string
	joined  [][]rank.Key
}

// joinNeighbours adds features to people who are named side by side. They are derived from the strongest features of
// the other person (sure, by the index of the person): somebody who is joined to a founder by "and", in any language,
// is likely a founder too.
func (c *Context) joinNeighbours(all []*Person, vectors []rank.Vector, sure [][]string) {
	byFirst := map[int][]neighbour{}
	for i, p := range all {
		if c.nth[p] == 0 && len(sure[i]) == 0 {
			continue
		}
		for _, h := range p.At[:min(len(p.At), mostOccurrences)] {
			byFirst[h.First] = append(byFirst[h.First], neighbour{i, h})
		}
	}
	j := &joints{vectors: vectors, sure: sure, joined: make([][]rank.Key, len(all))}
	for i, p := range all {
		for _, h := range p.At[:min(len(p.At), mostOccurrences)] {
			c.joinNext(j, byFirst, neighbour{i, h})
		}
	}
}

// joinNext joins a person to those who are named after them with at most two words between.
func (c *Context) joinNext(j *joints, byFirst map[int][]neighbour, one neighbour) {
	const farthest = 2
	for gap := range farthest + 1 {
		for _, next := range byFirst[one.at.Last+gap] {
			if between, ok := between(c.rd, one.at, next.at); ok && next.person != one.person {
				j.join(one.person, next.person, "before", between)
				j.join(next.person, one.person, "behind", between)
			}
		}
	}
}

// between returns the text between two occurrences, trimmed and folded. It returns false if the text is longer than 16
// bytes or contains a line end.
func between(rd *naming.Subject, a, b lexicon.Hit) (string, bool) {
	const longest = 16
	text := rd.Body[rd.Tokens[a.Last-1].End:rd.Tokens[b.First].Start]
	if len(text) > longest || strings.Contains(text, "\n") {
		return "", false
	}
	return lexicon.Fold(strings.TrimSpace(text)), true
}

// join adds features to a person: for side, which is where they are named beside the other person, for the text between
// the two names, and for the combination of both with each of the strongest features of the other person.
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
