package rank

import (
	"cmp"
	"math"
	"slices"
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

// trainer has the weights while they are fitted.
type trainer struct {
	Options
	index   map[uint32]int32
	keys    []uint32
	times   []int // in how many examples each occurs
	weights []float64
	slopes  []float64    // sums of squares, as AdaGrad has them
	dice    dice         // for the choice of the features that are left out, and for the first weights of units
	units   *unitTrainer // nil for none

	sums       []float64 // of weights of several rounds
	remembered int       // rounds

	nets   []*unitTrainer // that were fitted
	totals []float64      // of the weights beside them
}

// Train fits a model to examples: stochastic gradient descent with a rate for each weight (AdaGrad), over the
// examples in an order that depends on their number alone. With Units.Nets above 1 it fits the model that many times,
// with other first weights of the units; the model returned has the mean of the weights and the units of all of them.
func Train(examples []Example, o Options) *Model {
	t := &trainer{Options: o, index: map[uint32]int32{}, dice: newDice()}
	t.count(examples)
	indexed := make([][][]int32, len(examples))
	for i, e := range examples {
		indexed[i] = t.rowsOf(e)
	}
	t.totals = make([]float64, len(t.keys)*o.Classes)
	nets := max(1, o.Units.Nets)
	for range nets {
		t.fit(examples, indexed)
	}
	for i, sum := range t.totals {
		t.weights[i] = sum / float64(nets)
	}
	return t.model()
}

// fit fits weights, and units if there are any, and adds them to totals and nets. indexed has the rows of each
// example's vectors; see rowsOf.
func (t *trainer) fit(examples []Example, indexed [][][]int32) {
	t.weights = make([]float64, len(t.totals))
	t.slopes = make([]float64, len(t.totals))
	t.sums, t.remembered = nil, 0
	if t.Units.Count > 0 {
		t.units = newUnitTrainer(t.Options, t.times, len(examples), &t.dice)
		t.nets = append(t.nets, t.units)
	}
	order := shuffled(len(examples))
	for round := range t.Rounds {
		for _, i := range order {
			t.step(examples[i], indexed[i], len(examples))
		}
		if t.Drop > 0 && 2*round >= t.Rounds {
			t.remember()
		}
	}
	t.averageWeights()
	for i, w := range t.weights {
		t.totals[i] += w
	}
}

// remember adds the present weights to a sum, of which averageWeights takes the mean: while features are left out at
// random, weights vary from step to step.
func (t *trainer) remember() {
	if t.sums == nil {
		t.sums = make([]float64, len(t.weights))
	}
	for i, w := range t.weights {
		t.sums[i] += w
	}
	t.remembered++
}

// averageWeights replaces the weights by the mean of those that were remembered. If none were, it changes nothing.
func (t *trainer) averageWeights() {
	for i := range t.sums {
		t.weights[i] = t.sums[i] / float64(t.remembered)
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

// rowsOf returns the row of each feature of each vector, -1 for those left out.
func (t *trainer) rowsOf(e Example) [][]int32 {
	rows := make([][]int32, len(e.Vectors))
	for i, v := range e.Vectors {
		rows[i] = make([]int32, len(v.keys))
		for n, key := range v.keys {
			row, known := t.index[key]
			if !known {
				row = -1
			}
			rows[i][n] = row
		}
	}
	return rows
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

// thinned returns copies of the rows in which each feature is replaced by -1, for left out, with the probability Drop.
func (t *trainer) thinned(rows [][]int32) [][]int32 {
	const whole = 1 << 32
	limit := uint64(t.Drop * whole)
	kept := make([][]int32, len(rows))
	for i := range rows {
		kept[i] = slices.Clone(rows[i])
		for n := range kept[i] {
			if t.dice.roll()%whole < limit {
				kept[i][n] = -1
			}
		}
	}
	return kept
}

// step moves the weights towards the answer of one example. all is the number of examples.
func (t *trainer) step(e Example, rows [][]int32, all int) {
	if t.Drop > 0 {
		rows = t.thinned(rows)
	}
	more := 1 / (1 - t.Drop) // features that are left make up for those left out
	scores, hidden := t.scores(e, rows, more)
	p := Softmax(scores)
	for i, v := range e.Vectors {
		for n, row := range rows[i] {
			if row < 0 {
				continue
			}
			at := int(row) * t.Classes
			for c := range t.Classes {
				t.move(at+c, float64(e.Weight*(p[i+c]-e.Right[i+c])*float64(v.values[n])*more), all)
			}
		}
		if t.units != nil {
			t.units.learn(&hidden[i], rows[i], v.values, float64(e.Weight*(p[i]-e.Right[i])))
		}
	}
}

// scores returns the scores of an example's classes or candidates with the present weights, and the sums of the units
// for each vector. rows are the rows of the vectors. The values of the vectors are multiplied by more, but not for the
// units.
func (t *trainer) scores(e Example, rows [][]int32, more float64) ([]float64, []unitSums) {
	scores, hidden := make([]float64, len(e.Right)), make([]unitSums, len(e.Vectors))
	for i, v := range e.Vectors {
		for n, row := range rows[i] {
			if row < 0 {
				continue
			}
			at := int(row) * t.Classes
			for c := range t.Classes {
				scores[i+c] += float64(t.weights[at+c] * float64(v.values[n]) * more)
			}
		}
		if t.units != nil {
			hidden[i] = t.units.sum(rows[i], v.values)
			scores[i] += t.units.score(&hidden[i])
		}
	}
	return scores, hidden
}

// move changes the weight at an index by one step against its slope, and by its decay, which is spread over all, the
// number of examples. If the slope is 0 it changes nothing.
func (t *trainer) move(at int, slope float64, all int) {
	if slope == 0 {
		return
	}
	slope += float64(t.Decay * t.weights[at] / float64(all))
	t.slopes[at] += float64(slope * slope)
	t.weights[at] -= t.Rate * slope / (math.Sqrt(t.slopes[at]) + 1e-6)
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
		m.units = joinUnits(t.nets, rows)
	}
	if err := m.build(); err != nil {
		panic(err) // cannot happen: keys are sorted and differ
	}
	return m
}

// isCommon reports whether the feature in row i is common enough to have weights in the hidden units. It reports false
// for every feature if the model is trained without units.
func (t *trainer) isCommon(i int) bool { return t.units != nil && t.units.first[i] >= 0 }

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
