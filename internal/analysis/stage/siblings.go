package stage

import (
	"maps"
	"slices"

	"dealflow/internal/analysis/rank"
)

// ofSiblings adds features for the position of stage i among the stages with the same likely meaning, alone and
// together with the concepts and phrases of the text. "Offer" and "Signing", for example, are both about terms, but a
// text about documents to sign means the second.
func (c *Context) ofSiblings(v *rank.Vector, i int) {
	position := c.amongSiblings(i)
	if position == "" {
		return
	}
	family := rank.NewKey(position).Append(" of its kind")
	own := family.Append(" for ").Append(rank.StageMeaningNames()[rank.Best(c.likely.Senses[i])])
	v.AddKey(family, 0.5)
	v.AddKey(own, 0.5)
	for _, concept := range slices.Sorted(maps.Keys(c.spoken)) {
		v.AddKey(family.Append(" and the text speaks of ").Append(concept), 0.3)
		v.AddKey(own.Append(" and the text speaks of ").Append(concept), 0.5)
	}
	for _, section := range c.phrases {
		v.AddKey(family.Append(" and the text has ").Append(section), 0.3)
		v.AddKey(own.Append(" and the text has ").Append(section), 0.5)
	}
}

// amongSiblings returns the position of stage i among the stages with the same likely meaning: "first", "last" or
// "inner"; "" if it is the only one.
func (c *Context) amongSiblings(i int) string {
	own := rank.Best(c.likely.Senses[i])
	before, behind := 0, 0
	for n := range c.likely.Senses {
		switch {
		case n == i || rank.Best(c.likely.Senses[n]) != own:
		case c.P.Stages[n].Rank < c.P.Stages[i].Rank:
			before++
		default:
			behind++
		}
	}
	switch {
	case before+behind == 0:
		return ""
	case before == 0:
		return "first"
	case behind == 0:
		return "last"
	}
	return "inner"
}
