package founders

import (
	"dealflow/internal/analysis/people"
)

// Sameness says which of the people that a text may name are one person.
type Sameness struct {
	all []*Person
	who []people.Identity // without forms of address
}

// NewSameness prepares people to be compared with each other.
func NewSameness(all []*Person) Sameness {
	s := Sameness{all, make([]people.Identity, len(all))}
	for i, p := range all {
		s.who[i] = people.IdentityOf(people.Unaddressed(p.Text))
	}
	return s
}

// Are reports whether the people i and j are one: their names may be one person's, one is short for the other, or they
// share words of the text, as "Wei Jie" and "Tan Wei Jie" do.
func (s Sameness) Are(i, j int) bool {
	return s.who[i].Is(s.who[j]) || s.who[i].IsShortFor(s.who[j]) || s.who[j].IsShortFor(s.who[i]) ||
		overlap(s.all[i], s.all[j])
}

// InFull returns the number of the likeliest person for whose name that of person i is short, as "Vero" is for
// "Veronika Moser"; i if there is none whose probability in p is at least least.
func (s Sameness) InFull(i int, p []float64, least float64) int {
	best := i
	for j := range s.all {
		if p[j] >= least && s.who[i].IsShortFor(s.who[j]) && (best == i || p[j] > p[best]) {
			best = j
		}
	}
	return best
}

// overlap reports whether a place of one person has a word in common with a place of the other.
func overlap(a, b *Person) bool {
	for _, one := range a.At {
		for _, other := range b.At {
			if one.First < other.Last && other.First < one.Last {
				return true
			}
		}
	}
	return false
}
