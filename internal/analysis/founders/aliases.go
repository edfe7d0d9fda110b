package founders

import (
	"dealflow/internal/analysis/people"
)

// Aliases decides which of the people that a text may name are the same person. It must not be used by several
// goroutines at once.
type Aliases struct {
	all   []*Person
	known map[int]people.Identity // of those who were compared, without forms of address
}

// NewAliases returns the Aliases of these people. The methods name a person by the index in all.
func NewAliases(all []*Person) Aliases { return Aliases{all, map[int]people.Identity{}} }

func (a Aliases) who(i int) people.Identity {
	id, known := a.known[i]
	if !known {
		id = people.IdentityOf(people.Unaddressed(a.all[i].Text))
		a.known[i] = id
	}
	return id
}

// Same reports whether persons i and j are the same: their names may belong to one person, one name is short for the
// other, or they share words of the text, as "Wei Jie" and "Tan Wei Jie" do.
func (a Aliases) Same(i, j int) bool {
	one, other := a.who(i), a.who(j)
	return one.Is(other) || one.IsShortFor(other) || other.IsShortFor(one) || overlap(a.all[i], a.all[j])
}

// InFull returns the index of the person whose full name is meant if the name of person i is a short form, as "Vero" is
// of "Veronika Moser": the likeliest one by p, whose probability must be at least least. It returns i if there is none.
func (a Aliases) InFull(i int, p []float64, least float64) int {
	best := i
	for j := range a.all {
		if p[j] >= least && a.who(i).IsShortFor(a.who(j)) && (best == i || p[j] > p[best]) {
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
