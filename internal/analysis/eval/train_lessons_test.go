//go:build train

package eval_test

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/analysis/stage"
)

// lesson is a labelled text with what the trainer computes about it.
type lesson struct {
	sample

	set      string
	seen     *rules.Observation
	fresh    bool // the rules were not made with it
	features rank.Vector

	kinds, meaning []float64   // by models that were trained without its writer
	company        string      // likewise
	senses         [][]float64 // of the stages, likewise
	purposes       []int       // of the stages, by the labels, -1 for what nobody knows
	sure           []float64   // of the candidates

	candidates []string // for the company's name
	vectors    []rank.Vector

	people  []string // who may be founders
	persons []rank.Vector
	first   []float64 // the probability of each of people, and of nobody, by a model that was trained without the writer

	others []*lesson // the same text with other pipelines
	share  float64   // of its weight that counts; 0 for all of it
}

// firstOfLetters is the first of the hands that wrote most texts as long as mails and notes are.
const firstOfLetters = 47

// weight returns the weight of the text in training. Texts that the rules were made with count half, since they are
// probably easier than new ones. So do those of w23, whose writers were asked for rare words, mostly in notes of one
// line. Texts from firstOfLetters on count twice: most of the others are shorter than what an inbox has. Texts with a
// name alone count three times: their writers were asked for what an ordinary inbox has, and each of them gives one
// model one example.
func (l *lesson) weight() float64 {
	weight := cmp.Or(l.share, 1)
	switch {
	case l.hasOnlyName():
		return 3 * weight
	case l.hand() >= firstOfLetters:
		return 2 * weight
	case !l.fresh || l.hand() == 23:
		return weight / 2
	}
	return weight
}

// hand returns the number of the set of hands that has the text, 0 for another set.
func (l *lesson) hand() int {
	n, err := strconv.Atoi(strings.TrimPrefix(l.set, "hands/w"))
	if err != nil {
		return 0
	}
	return n
}

func readLessons(tb testing.TB, rules *rules.Rules) []*lesson {
	tb.Helper()
	found := newLinkReaders()
	pipelines, others := readPipelines(tb), otherStages(tb)
	var all []*lesson
	for _, set := range trainingSets(tb) {
		for _, s := range readSamples(tb, set) {
			l := &lesson{sample: s, set: set, seen: rules.Observe(s.input(found)), fresh: !madeWith(set)}
			if !l.fresh && l.fold(2) == 0 { // half of them, so that the other half says what to do where the rules are right
				l.seen = l.seen.Blind()
			}
			l.features = l.seen.Text()
			l.purposes = purposes(pipelines, l.stageNames()[:len(l.Statuses)])
			l.others = l.variants(rules, found, others)
			all = append(all, l)
		}
	}
	return all
}

// oneHot returns n shares: 1 at the index at, and 0 elsewhere.
func oneHot(n, at int) []float64 {
	p := make([]float64, n)
	p[at] = 1
	return p
}

// kind returns the index of the kind of the text in rank.KindNames, or -1 if the labels do not say which it is.
func (l *lesson) kind() int {
	if l.Kind != "" {
		return slices.Index(rank.KindNames(), cmp.Or(fullKinds()[l.Kind], l.Kind))
	}
	switch {
	case l.Expected.Source == "form":
		return slices.Index(rank.KindNames(), "form")
	case l.Expected.Source == "referral" && !slices.Contains(l.Tags, "note"):
		return slices.Index(rank.KindNames(), "referral")
	case l.Expected.Source == "email" && slices.Contains(l.Tags, "fresh"):
		return slices.Index(rank.KindNames(), "pitch")
	}
	return -1
}

// fullKinds returns the kinds of texts that most hands write shorter than rank.KindNames.
func fullKinds() map[string]string {
	return map[string]string{"note": "team_note", "update": "status_update"}
}

// shares returns a target for each of names: 0 for wrong ones, and for the alternatives of the label a quarter of what
// the label has. They add up to 1. It returns nil if none of the names is right.
func (l *lesson) shares(tb testing.TB, field string, names []string, label string) []float64 {
	tb.Helper()
	p := make([]float64, len(names))
	sum := 0.0
	give := func(value string, share float64) {
		if i := slices.Index(names, value); i >= 0 && p[i] == 0 {
			p[i] = share
			sum += share
		}
	}
	give(label, 1)
	for _, other := range l.alternatives(tb, field) {
		give(other, 0.25)
	}
	if sum == 0 {
		return nil
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// likely returns what models that were trained without the text's writer predict for it.
func (l *lesson) likely() stage.Likely {
	return stage.Likely{Kinds: l.kinds, Meaning: l.meaning, Senses: l.senses}
}

// stageNames returns the names of the stages, and "none" after them.
func (l *lesson) stageNames() []string {
	var names []string
	for _, s := range l.Statuses {
		names = append(names, s.Name)
	}
	return append(names, "none")
}

// byRank returns the indexes of the stages, ordered by rank.
func (l *lesson) byRank() []int {
	order := make([]int, len(l.Statuses))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return l.Statuses[a].Rank - l.Statuses[b].Rank })
	return order
}

func top(p []float64) int {
	at := 0
	for i := range p {
		if p[i] > p[at] {
			at = i
		}
	}
	return at
}

func (t *trainer) rightStages(l *lesson) []float64 {
	if len(l.Statuses) == 0 {
		return nil
	}
	return l.shares(t.tb, "status", l.stageNames(), orNull(l.Expected.Status))
}

func (l *lesson) nameExample(tb testing.TB, texts []string, vectors []rank.Vector) (rank.Example, bool) {
	tb.Helper()
	right := append([]string{l.Expected.Name}, l.alternatives(tb, "name")...)
	e := rank.Example{Weight: l.weight()}
	sum := 0.0
	for i, text := range texts {
		share := 0.0
		switch at := slices.Index(right, text); {
		case at == 0:
			share = 1
		case at > 0:
			share = 0.3
		case l.Expected.Name == "":
			return e, false
		}
		sum += share
		e.Right = append(e.Right, share)
		e.Vectors = append(e.Vectors, vectors[i])
	}
	for i := range e.Right {
		e.Right[i] /= sum
	}
	return e, sum > 0
}

// isNamed reports whether a name is a founder's, as the labels or their variants write it.
func (l *lesson) isNamed(name string) bool {
	for _, f := range l.Expected.Founders {
		if bareName(f.Name) == bareName(name) || bareName(l.labelFor(name)) == bareName(f.Name) {
			return true
		}
	}
	return false
}
