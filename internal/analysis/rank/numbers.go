package rank

import (
	"math"
	"slices"
	"strconv"
)

// Bin adds a feature for the range in which the count n is: 0, 1, 2 to 3, 4 to 7 and so on.
func Bin(v *Vector, name string, n int) {
	size := 0
	for ; n > 0; n /= 2 {
		size++
	}
	v.AddKey(NewKey(name).Append(" ").Append(strconv.Itoa(size)), 1)
}

// Best returns the index of the largest value, the first of equal ones; 0 for no values.
func Best(p []float64) int {
	at := 0
	for i := range p {
		if p[i] > p[at] {
			at = i
		}
	}
	return at
}

// Most returns the largest value, 0 for none.
func Most(p []float64) float64 {
	if len(p) == 0 {
		return 0
	}
	return slices.Max(p)
}

// Odds returns the logarithm of a probability's odds. It first limits the probability to between 0.002 and 0.998.
func Odds(p float64) float64 {
	const least = 0.002
	p = max(least, min(p, 1-least))
	return math.Log(p / (1 - p))
}
