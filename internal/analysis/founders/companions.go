package founders

import (
	"math"
	"strconv"

	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/rank"
)

// companions has, for one person, the highest probabilities that somebody else is the first founder: anybody, somebody
// who is named in a sentence with the person, and somebody who is named beside the person, with the text between.
type companions struct {
	anybody, inSentence, beside float64
	between                     string
}

// CompanionVectors returns features for each person from how likely they, and those who are named with them, are the
// first founder: somebody who is named with a founder is often one too, in whatever language the text joins them. first
// has for each person the probability that they are the first founder, and at its end the one that nobody is a founder.
func CompanionVectors(rd *naming.Subject, all []*Person, first []float64) []rank.Vector {
	const least = 0.05 // of a companion
	var likely []int
	for i := range all {
		if first[i] >= least {
			likely = append(likely, i)
		}
	}
	vectors := make([]rank.Vector, len(all))
	for i, p := range all {
		var c companions
		for _, n := range likely {
			if n != i && !all[n].Who.Is(p.Who) {
				c.add(rd, p, all[n], first[n])
			}
		}
		vectors[i] = c.vector(first[i], first[len(all)])
	}
	return vectors
}

// add adds other, who is the first founder with this probability, to the companions of p.
func (c *companions) add(rd *naming.Subject, p, other *Person, probability float64) {
	c.anybody = max(c.anybody, probability)
	for _, a := range p.At[:min(len(p.At), mostOccurrences)] {
		for _, b := range other.At[:min(len(other.At), mostOccurrences)] {
			if rd.Tokens[a.First].Sentence == rd.Tokens[b.First].Sentence {
				c.inSentence = max(c.inSentence, probability)
			}
			one, next, side := a, b, ""
			if b.First < a.First {
				one, next, side = b, a, "behind "
			}
			const farthest = 3 // words between
			if gap := next.First - one.Last; gap < 0 || gap > farthest || probability <= c.beside {
				continue
			}
			if text, near := between(rd, one, next); near {
				c.beside, c.between = probability, side+text
			}
		}
	}
}

// vector returns the features of a person whose own probability is own; nobody is the probability that nobody is a
// founder.
func (c *companions) vector(own, nobody float64) rank.Vector {
	v := rank.NewVector(10)
	self := "most of all " + level(own)
	v.Add(self, 1)
	v.Add("nobody "+level(nobody), 1)
	for _, other := range []string{
		"another " + level(c.anybody), "in a sentence with " + level(c.inSentence), "beside " + level(c.beside),
	} {
		v.Add(other, 1)
		v.Add(self+" "+other, 1)
	}
	const likely = 0.1
	if c.beside > likely {
		v.AddKey(rank.NewKey("beside one by ").Append(c.between), 1)
	}
	return v
}

// level returns the logarithm of a probability's odds, rounded, as part of a feature's name.
func level(p float64) string { return strconv.Itoa(int(math.Round(rank.Odds(p)))) }
