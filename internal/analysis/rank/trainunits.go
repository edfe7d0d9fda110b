package rank

import "math"

// UnitOptions say how the hidden units of a model of one class are trained.
type UnitOptions struct {
	Count int     // of each net; 0 for a model without units
	Nets  int     // how many nets are fitted; 0 for one. All units together are at most 64
	Least int     // in how many examples a feature must occur to have weights of the units
	Decay float64 // L2, as of the other weights
}

// fitted is a number that is fitted by AdaGrad: its value, and the sum of the squares of its slopes.
type fitted struct{ value, slopes float64 }

// move changes the number by one step against its slope.
func (f *fitted) move(slope, rate float64) {
	f.slopes += float64(slope * slope)
	f.value -= rate * slope / (math.Sqrt(f.slopes) + 1e-6)
}

// unitTrainer has the units while they are fitted.
type unitTrainer struct {
	n           int
	rate, decay float64
	first       []int32 // as in units
	weights     []fitted
	bias, times []fitted
}

// newUnitTrainer returns units whose weights are small pseudo-random numbers; the factors of the even units are
// positive, and those of the odd ones negative. times has in how many examples each feature occurs, and all is the
// number of examples.
func newUnitTrainer(o Options, times []int, all int, d *dice) *unitTrainer {
	const reach, factor = 0.1, 0.3
	u := &unitTrainer{
		n: o.Units.Count, rate: o.Rate, decay: o.Units.Decay / float64(all), first: make([]int32, len(times)),
		bias: make([]fitted, o.Units.Count), times: make([]fitted, o.Units.Count),
	}
	for i := range u.times {
		u.times[i].value = factor
		if i%2 == 1 {
			u.times[i].value = -factor
		}
	}
	for row, n := range times {
		u.first[row] = -1
		if n < o.Units.Least {
			continue
		}
		u.first[row] = int32(len(u.weights)) //nolint:gosec // far below 2^31
		for range u.n {
			const whole = 1 << 32
			part := float64(d.roll()%whole) / whole
			u.weights = append(u.weights, fitted{value: reach * (2*part - 1)})
		}
	}
	return u
}

// of returns the sums of the units for the vector with the number i, of the sums for all vectors.
func (u *unitTrainer) of(sums []float64, i int) []float64 { return sums[i*u.n : (i+1)*u.n] }

// sum sets sums to those of the units for a vector with these entries.
func (u *unitTrainer) sum(sums []float64, entries []entry) {
	for i := range sums {
		sums[i] = u.bias[i].value
	}
	for _, e := range entries {
		at := int(u.first[e.row])
		if at < 0 {
			continue
		}
		weights, value := u.weights[at:at+len(sums)], float64(e.value)
		for i := range sums {
			sums[i] += float64(weights[i].value * value)
		}
	}
}

// score returns what units with these sums add to a score.
func (u *unitTrainer) score(sums []float64) float64 {
	score := 0.0
	for i, sum := range sums {
		score += float64(max(0, sum) * u.times[i].value)
	}
	return score
}

// learn moves the units against the slope of the score of a vector, for which they added up sums. It ignores slopes
// between -0.0001 and 0.0001, which most candidates have after some rounds.
func (u *unitTrainer) learn(sums []float64, entries []entry, slope float64) {
	const least = 1e-4
	if math.Abs(slope) < least {
		return
	}
	var slopes [mostUnits]float64
	for i, sum := range sums {
		if sum <= 0 {
			continue
		}
		slopes[i] = float64(slope * u.times[i].value)
		u.times[i].move(float64(slope*sum), u.rate)
		u.bias[i].move(slopes[i], u.rate)
	}
	for _, e := range entries {
		at := int(u.first[e.row])
		if at < 0 {
			continue
		}
		for i, slope := range slopes[:u.n] {
			if slope != 0 {
				w := &u.weights[at+i]
				w.move(float64(slope*float64(e.value))+float64(u.decay*w.value), u.rate)
			}
		}
	}
}

// joinUnits returns the units of several nets, for a model with the given rows of the trainer. Each net counts for an
// equal share of the score. Weights are kept in 31 steps on each side of 0, which take less space than 127.
func joinUnits(nets []*unitTrainer, kept []int) *units {
	const largest = 31
	most := 0.0
	for _, net := range nets {
		for _, w := range net.weights {
			most = max(most, math.Abs(w.value))
		}
	}
	joined := &units{scale: max(most/largest, 1e-9)}
	for _, net := range nets {
		joined.n += net.n
		for i := range net.bias {
			joined.bias = append(joined.bias, net.bias[i].value)
			joined.times = append(joined.times, net.times[i].value/float64(len(nets)))
		}
	}
	for _, row := range kept {
		if nets[0].first[row] < 0 {
			joined.first = append(joined.first, -1)
			continue
		}
		joined.first = append(joined.first, int32(len(joined.weights))) //nolint:gosec // far below 2^31
		for _, net := range nets {
			at := net.first[row]
			for _, w := range net.weights[at : int(at)+net.n] {
				joined.weights = append(joined.weights, int8(math.Round(w.value/joined.scale)))
			}
		}
	}
	return joined
}
