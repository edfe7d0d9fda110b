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

// unitSums are the sums of the units for a vector.
type unitSums [mostUnits]float64

// sum returns the sums of the units for a vector whose features have these rows and values.
func (u *unitTrainer) sum(rows []int32, values []float32) unitSums {
	var s unitSums
	for i := range u.bias {
		s[i] = u.bias[i].value
	}
	for n, row := range rows {
		if row < 0 || u.first[row] < 0 {
			continue
		}
		at := int(u.first[row])
		for i := range u.n {
			s[i] += float64(u.weights[at+i].value * float64(values[n]))
		}
	}
	return s
}

// score returns what units with these sums add to a score.
func (u *unitTrainer) score(s *unitSums) float64 {
	score := 0.0
	for i := range u.times {
		score += float64(max(0, s[i]) * u.times[i].value)
	}
	return score
}

// learn moves the units against the slope of the score of a vector, for which they added up s. It ignores slopes
// between -0.0001 and 0.0001, which most candidates have after some rounds.
func (u *unitTrainer) learn(s *unitSums, rows []int32, values []float32, slope float64) {
	const least = 1e-4
	if math.Abs(slope) < least {
		return
	}
	var slopes unitSums
	for i := range u.times {
		if s[i] <= 0 {
			continue
		}
		slopes[i] = float64(slope * u.times[i].value)
		u.times[i].move(float64(slope*s[i]), u.rate)
		u.bias[i].move(slopes[i], u.rate)
	}
	for n, row := range rows {
		if row < 0 || u.first[row] < 0 {
			continue
		}
		at := int(u.first[row])
		for i, slope := range slopes[:u.n] {
			if slope != 0 {
				w := &u.weights[at+i]
				w.move(float64(slope*float64(values[n]))+float64(u.decay*w.value), u.rate)
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
