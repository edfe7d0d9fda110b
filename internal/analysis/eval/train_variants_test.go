//go:build train

package eval_test

import (
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/rules"
)

// variantWeight is how much a text with a changed pipeline counts, as a share of the text's own weight.
const variantWeight = 0.25

// variants returns the lesson with one other pipeline, which depends on the text: with a stage that is not meant, with
// the stages for lost deals and deals on hold elsewhere, or without any stage that fits. It returns nil for fewer than
// three stages. In most pipelines that people write, the stage for lost deals is the last one: from these alone the
// model of stages would learn to choose whatever is last.
func (l *lesson) variants(r *rules.Rules, found linkReaders, others []string) []*lesson {
	if len(l.Statuses) < 3 {
		return nil
	}
	seed := l.seed()
	other := *l
	other.Statuses = slices.Clone(l.Statuses)
	switch seed % 4 {
	case 0, 1:
		other.insert(others, seed/4)
	case 2:
		other.reorder(l.purposes, seed/4)
	default:
		if !other.remove(l.purposes) {
			other.insert(others, seed/4)
		}
	}
	other.purposes = make([]int, len(other.Statuses))
	for i, s := range other.Statuses {
		other.purposes[i] = -1
		for n, own := range l.Statuses {
			if own.Name == s.Name {
				other.purposes[i] = l.purposes[n]
			}
		}
	}
	other.share = variantWeight
	other.seen = r.Observe(other.input(found))
	if !l.fresh && l.fold(2) == 0 {
		other.seen = other.seen.Blind()
	}
	return []*lesson{&other}
}

// withOthers returns the lesson and its variants.
func (l *lesson) withOthers() []*lesson { return append([]*lesson{l}, l.others...) }

// clone returns a copy of the lesson, and of its variants.
func (l *lesson) clone() *lesson {
	own := *l
	own.others = slices.Clone(l.others)
	for i, one := range own.others {
		other := *one
		own.others[i] = &other
	}
	return &own
}

// otherStages returns names of stages that no labelled text means.
func otherStages(tb testing.TB) []string {
	tb.Helper()
	data, err := os.ReadFile("../testdata/otherstages.txt")
	if err != nil {
		tb.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// seed returns a number that depends on the text alone.
func (l *lesson) seed() uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(l.Text))
	return h.Sum32()
}

// insert adds one of the names as a stage, mostly as the last one. It does nothing if there is a stage of that name.
func (l *lesson) insert(names []string, seed uint32) {
	name := names[seed%uint32(len(names))]
	for _, s := range l.Statuses {
		if lexicon.WordKey(s.Name) == lexicon.WordKey(name) {
			return
		}
	}
	at := len(l.Statuses)
	if seed/64%4 == 0 {
		at = int(seed / 256 % uint32(len(l.Statuses)))
	}
	l.sortStages()
	l.Statuses = slices.Insert(l.Statuses, at, l.Statuses[0])
	l.Statuses[at].Name = name
	l.number()
}

// reorder moves the stages for lost deals and for deals on hold to positions behind the first, which depend on seed.
func (l *lesson) reorder(purposes []int, seed uint32) {
	aside := map[string]bool{}
	for i, s := range l.Statuses {
		aside[s.Name] = isAside(purposes[i])
	}
	l.sortStages()
	moved, rest := l.Statuses[:0:0], l.Statuses[:0:0]
	for _, s := range l.Statuses {
		if aside[s.Name] {
			moved = append(moved, s)
		} else {
			rest = append(rest, s)
		}
	}
	for _, s := range moved {
		rest = slices.Insert(rest, 1+int(seed%uint32(len(rest))), s)
		seed /= 7
	}
	l.Statuses = rest
	l.number()
}

// remove removes all stages for what the text says, and reports whether it did and others are left. It only does so
// where the text says that the deal is lost or on hold: for other deals without a stage the nearest one may be right.
func (l *lesson) remove(purposes []int) bool {
	right := -1
	for i, s := range l.Statuses {
		if l.Expected.Status != nil && s.Name == *l.Expected.Status && isAside(purposes[i]) {
			right = purposes[i]
		}
	}
	if right < 0 {
		return false
	}
	kept := l.Statuses[:0:0]
	for i, s := range l.Statuses {
		if purposes[i] != right {
			kept = append(kept, s)
		}
	}
	l.Statuses, l.Expected.Status, l.Alt = kept, nil, nil
	return len(kept) > 0
}

// isAside reports whether the meaning with this index in rank.StageMeaningNames is lost deals or deals on hold. Stages
// for these may be anywhere in a pipeline.
func isAside(purpose int) bool {
	return purpose >= 0 && slices.Contains([]string{lexicon.ConceptLost, lexicon.ConceptHold},
		rank.StageMeaningNames()[purpose])
}

func (l *lesson) sortStages() {
	sorted := l.Statuses[:0:0]
	for _, i := range l.byRank() {
		sorted = append(sorted, l.Statuses[i])
	}
	l.Statuses = sorted
}

// number sets the ranks of the stages to their order.
func (l *lesson) number() {
	for i := range l.Statuses {
		l.Statuses[i].Rank = i + 1
	}
}
