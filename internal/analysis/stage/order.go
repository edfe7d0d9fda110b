package stage

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"dealflow/internal/analysis/rank"
)

// orderTrust is the power to which the probabilities of the usual order of meanings are raised. It is less than 1,
// since the model of the names knows the position of a stage too.
const orderTrust = 0.7

// byRank returns the indexes of the stages in the order of their ranks, the lowest first.
func (p Pipeline) byRank() []int {
	order := make([]int, len(p.Stages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Stages[a].Rank, p.Stages[b].Rank) })
	return order
}

// OrderVector returns the features of the position right after a stage whose meaning has the index before in
// rank.StageMeaningNames, or of the first position of a pipeline if before is -1.
func OrderVector(before int) rank.Vector {
	var v rank.Vector
	v.Add("after "+strconv.Itoa(before), 1)
	return v
}

// following has weights of the meanings after a meaning: first for the first stage of a pipeline, and after by the
// index of the meaning before.
type following struct {
	first []float64
	after [][]float64
}

// newFollowing returns the weights by a model of the order, zero if it is nil.
func newFollowing(order *rank.Model) following {
	if order == nil {
		return following{}
	}
	f := following{first: weightsAfter(order, -1)}
	for m := range rank.StageMeaningNames() {
		f.after = append(f.after, weightsAfter(order, m))
	}
	return f
}

// weightsAfter returns a weight for each meaning, and a last one for the end of the pipeline: how likely it comes right
// after a stage whose meaning has the index before, or first if before is -1. The weights do not add up to 1.
func weightsAfter(order *rank.Model, before int) []float64 {
	p := order.Classify(OrderVector(before))
	for i := range p {
		p[i] = math.Pow(p[i], orderTrust)
	}
	return p
}

// inOrder returns the probabilities of the meanings of stages in the order of their ranks. named are the probabilities
// by the StageVector of each. Most pipelines have their meanings in the same order, so that the neighbours of a name in
// an unknown language show its meaning. The chain of stages is read forward and backward.
func (r *Judge) inOrder(named [][]float64) [][]float64 {
	n := len(rank.StageMeaningNames())
	next := r.order.after
	ahead, behind := make([]float64, n), r.order.first[:n]
	for m := range next {
		ahead[m] = next[m][n]
	}
	all := make([][]float64, len(named))
	for i, q := range named {
		all[i] = product(behind, q)
		behind = make([]float64, n)
		for m := range n {
			for k := range n {
				behind[k] += float64(all[i][m] * next[m][k])
			}
		}
	}
	for i, q := range slices.Backward(named) {
		all[i] = product(all[i], ahead)
		q = product(q, ahead)
		ahead = make([]float64, n)
		for m := range n {
			for k := range n {
				ahead[m] += float64(next[m][k] * q[k])
			}
		}
	}
	return all
}

// product returns the products of probabilities, scaled to add up to 1. At least one product must be above 0.
func product(p, q []float64) []float64 {
	all := make([]float64, len(p))
	sum := 0.0
	for i := range p {
		all[i] = p[i] * q[i]
		sum += all[i]
	}
	for i := range all {
		all[i] /= sum
	}
	return all
}
