package rank

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// Example is one question with its answer. For a model of several classes it has one vector, and Right has the share of
// each class. For a model of one class it has a vector for each candidate, and Right has the share of each candidate.
// The shares add up to 1. Weight is how much the example counts beside others.
type Example struct {
	Vectors []Vector
	Right   []float64
	Weight  float64
}

// Options say how a model is trained.
type Options struct {
	Classes int
	Rounds  int     // over all examples
	Rate    float64 // of the first steps
	Decay   float64 // L2: how strongly weights are reduced towards 0
	Least   int     // in how many examples a feature must occur
	Most    int     // how many features are kept
	Drop    float64 // below 1: which share of the features a step leaves out, so that none of them is relied on alone
	Step    float64 // the least difference of weights that is kept
	Units   UnitOptions
}

// trainer has the features of a model, and the weights and units that were fitted.
type trainer struct {
	Options
	index   map[uint32]int32
	keys    []uint32
	times   []int // in how many examples each occurs
	weights []float64
	units   []*unitTrainer // of each net; none for a model without units
}

// fitting has the weights while they are fitted.
type fitting struct {
	Options
	all     int // examples
	weights []fitted
	dice    dice         // for the choice of the features that are left out
	units   *unitTrainer // nil for none

	sums       []float64 // of weights of several rounds
	remembered int       // rounds
}

// entry is a feature of a vector by its row in the trainer.
type entry struct {
	row   int32
	value float32
}

// Train fits a model to examples: stochastic gradient descent with a rate for each weight (AdaGrad), over the
// examples in an order that depends on their number alone. With Units.Nets above 1 it fits the model that many times,
// with other first weights of the units; the model returned has the mean of the weights and the units of all of them.
func Train(examples []Example, o Options) *Model {
	t := &trainer{Options: o, index: map[uint32]int32{}}
	t.count(examples)
	entries := make([][][]entry, len(examples))
	for i, e := range examples {
		entries[i] = t.entriesOf(e)
	}
	fits := make([]*fitting, max(1, o.Units.Nets))
	d := newDice()
	var group sync.WaitGroup
	for i := range fits {
		f := &fitting{Options: o, all: len(examples), weights: make([]fitted, len(t.keys)*o.Classes)}
		if o.Units.Count > 0 {
			f.units = newUnitTrainer(o, t.times, len(examples), &d)
			t.units = append(t.units, f.units)
		}
		f.dice = d
		fits[i] = f
		group.Go(func() { f.fit(examples, entries) })
	}
	group.Wait()
	t.weights = make([]float64, len(t.keys)*o.Classes)
	for i := range t.weights {
		for _, f := range fits {
			t.weights[i] += f.weights[i].value
		}
		t.weights[i] /= float64(len(fits))
	}
	return t.model()
}

// fit fits the weights, and the units if there are any. entries has those of each example's vectors; see entriesOf.
func (f *fitting) fit(examples []Example, entries [][][]entry) {
	order := shuffled(len(examples))
	for round := range f.Rounds {
		for _, i := range order {
			f.step(examples[i], entries[i])
		}
		if f.Drop > 0 && 2*round >= f.Rounds {
			f.remember()
		}
	}
	f.averageWeights()
}

// remember adds the present weights to a sum, of which averageWeights takes the mean: while features are left out at
// random, weights vary from step to step.
func (f *fitting) remember() {
	if f.sums == nil {
		f.sums = make([]float64, len(f.weights))
	}
	for i, w := range f.weights {
		f.sums[i] += w.value
	}
	f.remembered++
}

// averageWeights replaces the weights by the mean of those that were remembered. If none were, it changes nothing.
func (f *fitting) averageWeights() {
	for i := range f.sums {
		f.weights[i].value = f.sums[i] / float64(f.remembered)
	}
}

// count keeps the features that occur in at least Least examples.
func (t *trainer) count(examples []Example) {
	type seen struct{ times, last int }
	all := map[uint32]seen{}
	for i, e := range examples {
		for _, v := range e.Vectors {
			for _, key := range v.keys {
				if s := all[key]; s.last != i+1 {
					all[key] = seen{s.times + 1, i + 1}
				}
			}
		}
	}
	for key, s := range all {
		if s.times >= t.Least {
			t.keys = append(t.keys, key)
		}
	}
	slices.Sort(t.keys)
	t.times = make([]int, len(t.keys))
	for i, key := range t.keys {
		t.index[key] = int32(i)
		t.times[i] = all[key].times
	}
}

// entriesOf returns the entries of each vector of an example, without features that are too rare to have a row.
func (t *trainer) entriesOf(e Example) [][]entry {
	entries := make([][]entry, len(e.Vectors))
	for i, v := range e.Vectors {
		entries[i] = make([]entry, 0, len(v.keys))
		for n, key := range v.keys {
			if row, known := t.index[key]; known {
				entries[i] = append(entries[i], entry{row, v.values[n]})
			}
		}
	}
	return entries
}

// shuffled returns the numbers below n in a pseudo-random order, which is always the same for the same n.
func shuffled(n int) []int {
	order := make([]int, n)
	d := newDice()
	for i := range order {
		at := int(d.roll() % uint64(i+1)) //nolint:gosec // not negative
		order[i] = order[at]
		order[at] = i
	}
	return order
}

// dice is a generator of pseudo-random numbers, which are the same each time.
type dice uint64

func newDice() dice { return 88172645463325252 }

func (d *dice) roll() uint64 {
	*d ^= *d << 13
	*d ^= *d >> 7
	*d ^= *d << 17
	return uint64(*d)
}

// thinned returns copies of the entries of vectors, each without some that it leaves out with the probability Drop.
func (f *fitting) thinned(vectors [][]entry) [][]entry {
	const whole = 1 << 32
	limit := uint64(f.Drop * whole)
	kept := make([][]entry, len(vectors))
	for i, entries := range vectors {
		kept[i] = make([]entry, 0, len(entries))
		for _, e := range entries {
			if f.dice.roll()%whole >= limit {
				kept[i] = append(kept[i], e)
			}
		}
	}
	return kept
}

// step moves the weights towards the answer of one example, whose vectors have these entries.
func (f *fitting) step(e Example, vectors [][]entry) {
	if f.Drop > 0 {
		vectors = f.thinned(vectors)
	}
	more := 1 / (1 - f.Drop) // features that are left make up for those left out
	scores, hidden := f.scores(len(e.Right), vectors, more)
	p := Softmax(scores)
	for i, entries := range vectors {
		for _, one := range entries {
			at := int(one.row) * f.Classes
			for c := range f.Classes {
				f.move(&f.weights[at+c], float64(e.Weight*(p[i+c]-e.Right[i+c])*float64(one.value)*more))
			}
		}
		if f.units != nil {
			f.units.learn(f.units.of(hidden, i), entries, float64(e.Weight*(p[i]-e.Right[i])))
		}
	}
}

// scores returns the scores of n classes or candidates with the present weights, and the sums of the units for each
// vector, one after the other. The values of the vectors are multiplied by more, but not for the units.
func (f *fitting) scores(n int, vectors [][]entry, more float64) (scores, hidden []float64) {
	scores = make([]float64, n)
	if f.units != nil {
		hidden = make([]float64, len(vectors)*f.units.n)
	}
	for i, entries := range vectors {
		for _, one := range entries {
			at := int(one.row) * f.Classes
			for c := range f.Classes {
				scores[i+c] += float64(f.weights[at+c].value * float64(one.value) * more)
			}
		}
		if f.units != nil {
			sums := f.units.of(hidden, i)
			f.units.sum(sums, entries)
			scores[i] += f.units.score(sums)
		}
	}
	return scores, hidden
}

// move changes a weight by one step against its slope, and by its decay, which is spread over all examples. If the
// slope is 0 it changes nothing.
func (f *fitting) move(w *fitted, slope float64) {
	if slope != 0 {
		w.move(slope+float64(f.Decay*w.value/float64(f.all)), f.Rate)
	}
}

// model returns the model of the fitted weights, each rounded to a signed byte times one scale. It keeps at most Most
// features: first those that are common enough for the hidden units, then those with the largest product of weight and
// square root of the number of occurrences, which is about their effect on the scores of all examples. By weight alone,
// rare features would displace common ones. Features whose weights all round to 0 are left out, unless they are common.
// It centers the weights of t.
func (t *trainer) model() *Model {
	t.center()
	kept := make([]int, 0, len(t.keys))
	sizes := make([]float64, len(t.keys))
	var most float64
	for i := range t.keys {
		for _, w := range t.row(i) {
			sizes[i] = max(sizes[i], math.Abs(w))
		}
		most = max(most, sizes[i])
		kept = append(kept, i)
	}
	matters := func(i int) float64 {
		if t.isCommon(i) {
			return math.Inf(1)
		}
		return float64(sizes[i] * math.Sqrt(float64(t.times[i])))
	}
	slices.SortStableFunc(kept, func(a, b int) int { return cmp.Compare(matters(b), matters(a)) })
	kept = kept[:min(len(kept), t.Most)]
	slices.Sort(kept)
	const largest = 127
	m := &Model{classes: t.Classes, scale: max(most/largest, t.Step, 1e-9)}
	var rows []int
	for _, i := range kept {
		if sizes[i] < m.scale/2 && !t.isCommon(i) {
			continue
		}
		rows = append(rows, i)
		m.keys = append(m.keys, t.keys[i])
		for _, w := range t.row(i) {
			m.rows = append(m.rows, int8(math.Round(w/m.scale)))
		}
	}
	if t.units != nil {
		m.units = joinUnits(t.units, rows)
	}
	if err := m.build(); err != nil {
		panic(err) // cannot happen: keys are sorted and differ
	}
	return m
}

// isCommon reports whether the feature in row i is common enough to have weights in the hidden units. It reports false
// for every feature if the model is trained without units.
func (t *trainer) isCommon(i int) bool { return t.units != nil && t.units[0].first[i] >= 0 }

func (t *trainer) row(i int) []float64 { return t.weights[i*t.Classes : (i+1)*t.Classes] }

// center subtracts from the weights of each feature the median over its classes, which changes no probability. Most
// weights are then 0 and take little space. It changes nothing if there is one class.
func (t *trainer) center() {
	if t.Classes == 1 {
		return
	}
	for i := range t.keys {
		row := t.row(i)
		sorted := slices.Clone(row)
		slices.Sort(sorted)
		middle := sorted[len(sorted)/2]
		for c := range row {
			row[c] -= middle
		}
	}
}

// Strongest returns the model with at most n of its features: those with the largest weights, of equal ones the first.
// The model must have no hidden units. Where each feature has weights for many classes, few of which are large, this
// costs less than to keep fewer features by what matters.
func (m *Model) Strongest(n int) *Model {
	order := make([]int, len(m.keys))
	for i := range order {
		order[i] = i
	}
	size := func(i int) int {
		largest := 0
		for _, w := range m.rows[i*m.classes : (i+1)*m.classes] {
			largest = max(largest, int(w), -int(w))
		}
		return largest
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size(b), size(a)) })
	order = order[:min(n, len(order))]
	slices.Sort(order)
	less := &Model{classes: m.classes, scale: m.scale}
	for _, i := range order {
		less.keys = append(less.keys, m.keys[i])
		less.rows = append(less.rows, m.rows[i*m.classes:(i+1)*m.classes]...)
	}
	if err := less.build(); err != nil {
		panic(err) // cannot happen: the keys are those of a model
	}
	return less
}
