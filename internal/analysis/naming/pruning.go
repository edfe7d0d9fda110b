package naming

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/rank"
)

// PruningVectors returns the features by which a first model finds the candidates that are worth describing in full.
// They are few, and quick to compute: a text has hundreds of candidates, most of which are plainly no name.
func (c *Context) PruningVectors(all []*Candidate) []rank.Vector {
	vectors := make([]rank.Vector, len(all))
	const each = 16
	room := rank.NewVector(each * len(all))
	for i, one := range all {
		start := room.Len()
		c.addForm(&room, one)
		c.addKnown(&room, one)
		vectors[i] = room.From(start)
	}
	return vectors
}

// addForm adds features for how familiar the words of the name are, how it is written, where it was found, and how
// often and how early the text has it.
func (c *Context) addForm(v *rank.Vector, one *Candidate) {
	where := "nowhere"
	if len(one.At) > 0 {
		where = c.whereCapital(one.At[0].First)
		rank.Bin(v, "first at", one.At[0].First)
	}
	var room [8]rank.Key
	addKeys(v, appendListedKeys(appendFamiliarKeys(room[:0], one.Words, where), one.Words, where))
	form := rank.NewKey("form ").Append(firstShape(one.Text)).Append(strconv.Itoa(min(len(one.Words), 5))).Append(where)
	v.AddKey(form, 1)
	rank.Bin(v, "times", len(one.At))
	for _, from := range one.From {
		v.AddKey(rank.NewKey("from ").Append(from), 1)
		v.AddKey(form.Append(from), 1)
	}
}

// addKnown adds features for what the rules, the people, the answers, the domains and the subjects of the text say of
// the name.
func (c *Context) addKnown(v *rank.Vector, one *Candidate) {
	if at, known := c.order[one.Key]; known && !c.Blind {
		v.AddKey(rank.NewKey("rules' ").Append(strconv.Itoa(min(at, 4))), 1)
	}
	v.Set("rules choose", one.Text == c.rules.Value && !c.Blind)
	for _, o := range c.owners {
		o.set(v, "is domain of ", slices.Contains(o.labels, one.Key))
	}
	v.Set("in a subject", one.Key != "" && strings.Contains(c.subjects, one.Key))
	c.addUses(v, one)
}

// firstShape returns the class of the first letter of a name: "A" for a capital, "a" for a small letter, "0" for a
// figure, "x" for the rest.
func firstShape(name string) string {
	first, _ := utf8.DecodeRuneInString(name)
	switch {
	case unicode.IsUpper(first):
		return "A"
	case unicode.IsLower(first):
		return "a"
	case unicode.IsDigit(first):
		return "0"
	}
	return "x"
}
