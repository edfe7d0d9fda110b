package eval_test

import (
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// handSets returns the sets of testdata/hands, which many people wrote: those held out, or those to train with.
func handSets(tb testing.TB, heldout bool) []string {
	tb.Helper()
	files, err := filepath.Glob("../testdata/hands/*.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	var sets []string
	for _, file := range files {
		set := "hands/" + strings.TrimSuffix(filepath.Base(file), ".jsonl")
		if isHidden(set) == heldout {
			sets = append(sets, set)
		}
	}
	slices.Sort(sets)
	return sets
}

// madeWith reports whether the rules were made with the texts of a set, so that what they answer there says nothing of
// texts that they have not seen.
func madeWith(set string) bool { return set == "intake" || strings.HasSuffix(set, "tuning") }

// trainingSets are the sets that models are trained with.
func trainingSets(tb testing.TB) []string {
	tb.Helper()
	return append([]string{"intake", "tuning", "blind-tuning", "like-tuning"}, handSets(tb, false)...)
}

// fold returns to which of so many folds, from 0, the sample belongs. It is the same for all texts of a writer.
func (s sample) fold(folds int) int {
	h := fnv.New32a()
	if s.Writer != "" {
		_, _ = h.Write([]byte(s.Writer))
	} else {
		_, _ = h.Write([]byte(s.ID))
	}
	return int(h.Sum32() % uint32(folds))
}
