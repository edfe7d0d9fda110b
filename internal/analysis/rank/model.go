package rank

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Model has the weights of the features that matter: for each feature a row with one byte for each class. It does not
// change, and may be used by many goroutines.
type Model struct {
	classes int
	scale   float64 // of the bytes
	keys    []uint32
	known   []uint64 // bits by a hash of the key, set if the model may have the key; see bit
	slots   []slot   // open addressing
	rows    []int8
	units   *units // nil for none
}

// slot is a key with the number of its row. Both are side by side, since most of the cost of a key is to fetch its
// slot.
type slot struct {
	key uint32
	row int32 // its number plus one, 0 in a free slot
}

// row returns the number of a feature's row, -1 for none.
func (m *Model) row(key uint32) int {
	mask := uint32(len(m.slots) - 1) //nolint:gosec // a power of two far below 2^32
	for at := key & mask; ; at = (at + 1) & mask {
		s := m.slots[at]
		if s.row == 0 || s.key == key {
			return int(s.row) - 1
		}
	}
}

// bit returns the index in known of the bit that says whether a key may be in the model. Most keys of a text are not in
// the model, and these bits, unlike the rows, stay in the processor's caches.
func (m *Model) bit(key uint32) uint32 {
	const spread = 2654435769 // by the golden ratio
	return key * spread >> (32 - bits.Len(uint(len(m.known)*64-1)))
}

// Scores returns the score of each class for a vector, without what hidden units add.
func (m *Model) Scores(v Vector) []float64 {
	scores := make([]float64, m.classes)
	m.addUp(scores, v)
	return scores
}

// plainScore returns the score of a vector without what the hidden units add to it. The model must have one class.
func (m *Model) plainScore(v Vector) float64 {
	var score [1]float64
	m.addUp(score[:], v)
	return score[0]
}

// addUp sets scores, which must be 0, to the score of each class for a vector. It first finds the features that the
// model may know, since a processor does that much faster without branches.
func (m *Model) addUp(scores []float64, v Vector) {
	var known [64]int32
	for from := 0; from < len(v.keys); from += len(known) {
		keys := v.keys[from:min(from+len(known), len(v.keys))]
		n := 0
		for i, key := range keys {
			known[n] = int32(from + i)
			bit := m.bit(key)
			n += int(m.known[bit/64] >> (bit % 64) & 1)
		}
		for _, i := range known[:n] {
			row := m.row(v.keys[i])
			if row < 0 {
				continue
			}
			for c, w := range m.rows[row*m.classes : (row+1)*m.classes] {
				// the conversion keeps the product from being fused into the sum
				scores[c] += float64(float64(w) * float64(v.values[i])) //nolint:gosec // G602: a row has as many classes as scores
			}
		}
	}
	for c := range scores {
		scores[c] *= m.scale
	}
}

// hidden returns what the units of the model, which must have some, add to the score of a vector.
func (m *Model) hidden(v Vector) float64 {
	var s sums
	for i, key := range v.keys {
		if bit := m.bit(key); m.known[bit/64]>>(bit%64)&1 == 0 {
			continue
		}
		if row := m.row(key); row >= 0 {
			m.units.add(&s, row, v.values[i])
		}
	}
	return m.units.score(&s)
}

// Rank returns the probabilities of the candidates of a question, which add up to 1; nil for no candidates. The model
// must have one class.
func (m *Model) Rank(candidates []Vector) []float64 {
	scores := make([]float64, len(candidates))
	for i, v := range candidates {
		scores[i] = m.plainScore(v)
	}
	if m.units != nil {
		m.addHidden(scores, candidates)
	}
	return Softmax(scores)
}

// What Prune keeps: at most mostKept candidates, and none whose score is more than farBehind below the best. In texts
// with which no model was trained that loses 8 of 2,251 names of companies and 18 of 2,261 of founders.
const (
	mostKept  = 64
	farBehind = 7
)

// Prune returns the indexes, in ascending order, of the candidates that may be right: those with the highest scores, at
// most 64, and none whose score is more than 7 below the highest. The model must have one class.
func (m *Model) Prune(candidates []Vector) []int {
	scores := make([]float64, len(candidates))
	best := math.Inf(-1)
	for i, v := range candidates {
		scores[i] = m.plainScore(v)
		best = max(best, scores[i])
	}
	var kept []int
	for i, score := range scores {
		if score >= best-farBehind {
			kept = append(kept, i)
		}
	}
	if len(kept) > mostKept {
		slices.SortStableFunc(kept, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
		kept = kept[:mostKept]
		slices.Sort(kept)
	}
	return kept
}

// addHidden adds to scores what the hidden units add for each candidate. It computes this, which takes most of the
// time, only for the candidates with the 20 highest scores so far. To every other score it adds the smallest of the
// values that it computed.
func (m *Model) addHidden(scores []float64, candidates []Vector) {
	const shortlist = 20
	last := math.Inf(-1)
	if len(scores) > shortlist {
		sorted := slices.Clone(scores)
		slices.Sort(sorted)
		last = sorted[len(sorted)-shortlist]
	}
	least := math.Inf(1)
	added := make([]float64, len(scores))
	for i, v := range candidates {
		if scores[i] >= last {
			added[i] = m.hidden(v)
			least = min(least, added[i])
		}
	}
	for i := range scores {
		if scores[i] >= last {
			scores[i] += added[i]
		} else {
			scores[i] += least
		}
	}
}

// Classify returns the probabilities of the classes for a vector, which add up to 1. The model should have several
// classes.
func (m *Model) Classify(v Vector) []float64 { return Softmax(m.Scores(v)) }

// Softmax returns the probabilities for scores, nil for none. They add up to 1.
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

// build fills slots and known from keys and rows. It returns an error if there are no classes, if rows has not one
// weight for each key and class, or if a key occurs twice.
func (m *Model) build() error {
	if m.classes < 1 || len(m.rows) != m.classes*len(m.keys) {
		return fmt.Errorf("%d weights for %d features of %d classes", len(m.rows), len(m.keys), m.classes)
	}
	size := 8
	for size < 2*len(m.keys) {
		size *= 2
	}
	m.slots = make([]slot, size)
	m.known = make([]uint64, max(size*4/64, 1))
	for i, key := range m.keys {
		at := key & uint32(size-1) //nolint:gosec // as above
		for m.slots[at].row != 0 {
			if m.slots[at].key == key {
				return errors.New("a feature has two rows")
			}
			at = (at + 1) & uint32(size-1) //nolint:gosec // as above
		}
		bit := m.bit(key)
		m.known[bit/64] |= 1 << (bit % 64)
		m.slots[at] = slot{key: key, row: int32(i + 1)}
	}
	return nil
}
