package rank

import "testing"

// TestCandidatesBeyondTheShortlistStayBehind has a hidden unit that lowers the score of each candidate of the shortlist
// below that of a candidate beyond it, for which the unit is not computed.
func TestCandidatesBeyondTheShortlistStayBehind(t *testing.T) {
	t.Parallel()
	m := &Model{
		classes: 1, scale: 1, keys: []uint32{NewKey("a").short()}, rows: []int8{5},
		units: &units{n: 1, scale: 1, bias: []float64{0}, times: []float64{-1}, first: []int32{0}, weights: []int8{10}},
	}
	if err := m.build(); err != nil {
		t.Fatal(err)
	}
	candidates := make([]Vector, 40)
	for i := range candidates[1:] {
		candidates[i+1].Add("a", 1)
	}
	if p := m.Rank(candidates); p[0] >= p[1] {
		t.Errorf("the candidate beyond the shortlist has %.3f, one of it %.3f", p[0], p[1])
	}
}
