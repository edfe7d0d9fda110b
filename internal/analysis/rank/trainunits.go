package rank

import "math"

// UnitOptions say how the hidden units of a model of one class are trained.
type UnitOptions struct {
	Count int     // at most 32; 0 for a model without units
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
// positive, and those of the odd ones negative. times has in how many examples each feature occurs.
func newUnitTrainer(o Options, times []int, all int) *unitTrainer {
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
	d := newDice()
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

// sum returns the sums of the units for a vector whose features have these rows and values.
func (u *unitTrainer) sum(rows []int32, values []float32) sums {
	var s sums
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

// score returns what the units add to a score.
func (u *unitTrainer) score(s *sums) float64 {
	score := 0.0
	for i := range u.times {
		score += float64(max(0, s[i]) * u.times[i].value)
	}
	return score
}

// learn moves the units against the slope of the score of a vector, for which they added up s. It ignores slopes below
// 0.0001, which most candidates have after some rounds.
func (u *unitTrainer) learn(s *sums, rows []int32, values []float32, slope float64) {
	const least = 1e-4
	if math.Abs(slope) < least {
		return
	}
	var slopes sums // of the sums
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

// units returns the trained units of a model with the given rows of the trainer.
func (u *unitTrainer) units(kept []int) *units {
	most := 0.0
	for _, w := range u.weights {
		most = max(most, math.Abs(w.value))
	}
	const largest = 127
	trained := &units{n: u.n, scale: max(most/largest, 1e-9)}
	for i := range u.bias {
		trained.bias = append(trained.bias, u.bias[i].value)
		trained.times = append(trained.times, u.times[i].value)
	}
	for _, row := range kept {
		at := u.first[row]
		if at < 0 {
			trained.first = append(trained.first, -1)
			continue
		}
		trained.first = append(trained.first, int32(len(trained.weights))) //nolint:gosec // far below 2^31
		for _, w := range u.weights[at : int(at)+u.n] {
			trained.weights = append(trained.weights, int8(math.Round(w.value/trained.scale)))
		}
	}
	return trained
}
