package founders

import (
	"dealflow/internal/analysis/people"
)

// Aliases decides which of the people that a text may name are the same person.
type Aliases struct {
	all []*Person
	who []people.Identity // without forms of address
}

// NewAliases returns the Aliases of these people, who are then prepared for comparison.
func NewAliases(all []*Person) Aliases {
	a := Aliases{all, make([]people.Identity, len(all))}
	for i, p := range all {
		a.who[i] = people.IdentityOf(people.Unaddressed(p.Text))
	}
	return a
}

// Same reports whether i and j are the same person: their names may belong to one person, one name is short for the
// other, or they share words of the text, as "Wei Jie" and "Tan Wei Jie" do.
func (a Aliases) Same(i, j int) bool {
	return a.who[i].Is(a.who[j]) || a.who[i].IsShortFor(a.who[j]) || a.who[j].IsShortFor(a.who[i]) ||
		overlap(a.all[i], a.all[j])
}

// InFull returns the index of the person whose full name is meant if the name of person i is a short form, as "Vero" is
// of "Veronika Moser": the likeliest one by p, whose probability must be at least least. It returns i if there is none.
func (a Aliases) InFull(i int, p []float64, least float64) int {
	best := i
	for j := range a.all {
		if p[j] >= least && a.who[i].IsShortFor(a.who[j]) && (best == i || p[j] > p[best]) {
			best = j
		}
	}
	return best
}

// overlap reports whether the two people have a word of the text in common. The occurrences of each person must be in
// the order of the text.
func overlap(one, other *Person) bool {
	for i, j := 0, 0; i < len(one.At) && j < len(other.At); {
		a, b := one.At[i], other.At[j]
		switch {
		case a.Last <= b.First:
			i++
		case b.Last <= a.First:
			j++
		default:
			return true
		}
	}
	return false
}
