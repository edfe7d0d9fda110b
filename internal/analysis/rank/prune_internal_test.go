package rank

import (
	"slices"
	"testing"
)

// TestPruneKeepsWhatMayBeRight has a model that scores a candidate by the value of its feature "a".
func TestPruneKeepsWhatMayBeRight(t *testing.T) {
	t.Parallel()
	m := &Model{classes: 1, scale: 1, keys: []uint32{NewKey("a").short()}, rows: []int8{1}}
	if err := m.build(); err != nil {
		t.Fatal(err)
	}
	withScores := func(scores ...float64) []Vector {
		all := make([]Vector, len(scores))
		for i, score := range scores {
			all[i].Add("a", score)
		}
		return all
	}
	if kept := m.Prune(withScores(1, 10, 2.9, 3.1, 3, 9)); !slices.Equal(kept, []int{1, 3, 4, 5}) {
		t.Errorf("of scores from 1 to 10, %v are kept, want those at most 7 below the best", kept)
	}
	many := make([]float64, 100)
	for i := range many {
		many[i] = 5 - float64(i%2)
	}
	kept := m.Prune(withScores(many...))
	if len(kept) != mostKept || !slices.IsSorted(kept) {
		t.Fatalf("%d of 100 are kept, in the order %v", len(kept), kept)
	}
	for i := 0; i < len(many); i += 2 {
		if !slices.Contains(kept, i) {
			t.Errorf("candidate %d is among the best 50, and is not kept", i)
		}
	}
	if kept := m.Prune(nil); len(kept) != 0 {
		t.Errorf("of no candidates %v are kept", kept)
	}
}
