package eval_test

import (
	"slices"
	"testing"

	"dealflow/internal/analysis"
)

// TestPruningKeepsTheRightCandidates looks at texts with which no model was trained: what the first models leave out is
// seldom right, and most of all candidates.
func TestPruningKeepsTheRightCandidates(t *testing.T) {
	t.Parallel()
	rules, found := builtIn(), newLinkReaders()
	var names, people pruning
	for _, set := range []string{"heldout", "blind-heldout", "like-heldout"} {
		for _, s := range readSamples(t, set) {
			seen := rules.Observe(s.input(found))
			all, _ := seen.AllNames()
			kept, _ := seen.Names(nil)
			names.count(all, kept, func(name string) bool { return name == s.Expected.Name })
			everybody, _ := seen.AllPeople()
			likely, _ := seen.People(nil, nil, s.Expected.Name)
			people.count(everybody, likely, func(name string) bool {
				return slices.ContainsFunc(s.Expected.Founders, func(f analysis.Founder) bool { return f.Name == name })
			})
		}
	}
	names.check(t, "names")
	people.check(t, "people")
}

// pruning counts candidates, and those of them that are right.
type pruning struct{ all, kept, right, keptRight int }

func (p *pruning) count(all, kept []string, isRight func(string) bool) {
	p.all += len(all)
	p.kept += len(kept)
	for _, name := range all {
		if isRight(name) {
			p.right++
			if slices.Contains(kept, name) {
				p.keptRight++
			}
		}
	}
}

func (p *pruning) check(t *testing.T, what string) {
	t.Helper()
	t.Logf("%s: %d of %d are kept, and %d of %d right ones", what, p.kept, p.all, p.keptRight, p.right)
	if p.right < 200 {
		t.Errorf("%s: only %d right ones were found", what, p.right)
	}
	if 2*p.kept > p.all {
		t.Errorf("%s: %d of %d are kept, want at most half", what, p.kept, p.all)
	}
	if 100*p.keptRight < 99*p.right {
		t.Errorf("%s: %d of %d right ones are kept, want 99 %%", what, p.keptRight, p.right)
	}
}
