package rank

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Model holds the weights of the features that matter, a row of one byte a class for each.
type Model struct {
	classes int
	scale   float64 // of the bytes
	keys    []uint32
	slots   []int32 // open addressing: the number of a key's row plus one, 0 for a free slot
	rows    []int8
}

// Classes returns how many classes the model has.
func (m *Model) Classes() int { return m.classes }

// row returns the number of a feature's row, -1 for none.
func (m *Model) row(key uint32) int {
	mask := uint32(len(m.slots) - 1) //nolint:gosec // a power of two far below 2^32
	for at := key & mask; ; at = (at + 1) & mask {
		n := m.slots[at]
		if n == 0 {
			return -1
		}
		if m.keys[n-1] == key {
			return int(n - 1)
		}
	}
}

// Scores returns the score of each class for a vector.
func (m *Model) Scores(v Vector) []float64 {
	scores := make([]float64, m.classes)
	for i, key := range v.keys {
		n := m.row(key)
		if n < 0 {
			continue
		}
		for c, w := range m.rows[n*m.classes : (n+1)*m.classes] {
			// the conversion keeps the product from being fused into the sum
			scores[c] += float64(float64(w) * float64(v.values[i]))
		}
	}
	for c := range scores {
		scores[c] *= m.scale
	}
	return scores
}

// Score returns the score of a candidate in a model of one class.
func (m *Model) Score(v Vector) float64 { return m.Scores(v)[0] }

// Rank returns the probability of each candidate of a question in a model of one class.
func (m *Model) Rank(candidates []Vector) []float64 {
	scores := make([]float64, len(candidates))
	for i, v := range candidates {
		scores[i] = m.Score(v)
	}
	return Softmax(scores)
}

// Classify returns the probability of each class for a vector.
func (m *Model) Classify(v Vector) []float64 { return Softmax(m.Scores(v)) }

// Softmax returns the probabilities that belong to scores.
func Softmax(scores []float64) []float64 {
	if len(scores) == 0 {
		return nil
	}
	most := slices.Max(scores)
	p := make([]float64, len(scores))
	var sum float64
	for i, s := range scores {
		p[i] = math.Exp(s - most)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// build fills the index of the rows.
func (m *Model) build() error {
	if m.classes < 1 || len(m.rows) != m.classes*len(m.keys) {
		return fmt.Errorf("%d weights for %d features of %d classes", len(m.rows), len(m.keys), m.classes)
	}
	size := 8
	for size < 2*len(m.keys) {
		size *= 2
	}
	m.slots = make([]int32, size)
	for i, key := range m.keys {
		at := key & uint32(size-1) //nolint:gosec // as above
		for m.slots[at] != 0 {
			if m.keys[m.slots[at]-1] == key {
				return errors.New("a feature has two rows")
			}
			at = (at + 1) & uint32(size-1) //nolint:gosec // as above
		}
		m.slots[at] = int32(i + 1)
	}
	return nil
}
