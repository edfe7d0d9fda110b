//go:build train

package eval_test

import (
	"maps"
	"strings"
	"sync"
	"testing"

	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/analysis/source"
	"dealflow/internal/analysis/stage"
)

// trainer fits the models, two or more at a time. Later models use what earlier ones say of texts on which these were
// not trained.
type trainer struct {
	tb      testing.TB
	rules   *rules.Rules
	lessons []*lesson
	models  rank.Models

	statements []rank.Example
}

func textOptions(classes int) rank.Options {
	return rank.Options{Classes: classes, Rounds: 8, Rate: 0.03, Decay: 10, Least: 2, Most: 36000, Step: 0.04}
}

func rankOptions() rank.Options {
	return rank.Options{Classes: 1, Rounds: 30, Rate: 0.05, Decay: 0.3, Least: 2, Most: 110000}
}

// trainAll returns models that were trained with the lessons.
func trainAll(tb testing.TB, rules *rules.Rules, lessons []*lesson) rank.Models {
	tb.Helper()
	t := &trainer{tb: tb, rules: rules, models: rank.Models{}, statements: readStatements(tb, rules)}
	for _, l := range lessons {
		t.lessons = append(t.lessons, l.clone())
	}
	t.models["kind"] = t.crossed(t.kinds, func(l *lesson, m *rank.Model) { l.kinds = m.Classify(l.features) })
	var names, stages rank.Models
	atOnce(func() { names = t.nameModels() }, func() { stages = t.stageModels() })
	maps.Copy(t.models, names)
	maps.Copy(t.models, stages)
	t.models["first"] = t.crossedFirsts(t.lessons)
	var founder, deal *rank.Model
	atOnce(func() { founder = t.founders(t.lessons) }, func() { deal = t.deals(t.lessons) })
	t.models["founder"], t.models["deal"] = founder, deal
	return t.models
}

// nameModels fits the models that prune candidates, and the one of names.
func (t *trainer) nameModels() rank.Models {
	models := rank.Models{rank.PruneNames: t.pruneNames(), rank.PrunePeople: t.prunePeople()}
	for _, l := range t.lessons {
		l.candidates, l.vectors = l.seen.Names(l.kinds)
	}
	models["name"] = t.crossed(t.names, func(l *lesson, m *rank.Model) {
		l.company = ""
		if len(l.candidates) > 0 {
			l.sure = m.Rank(l.vectors)
			l.company = l.candidates[top(l.sure)]
		}
	})
	return models
}

// stageModels fits the models of the source, and of the stages and what leads to them.
func (t *trainer) stageModels() rank.Models {
	models := rank.Models{"source": t.sources(t.lessons), "stageorder": t.stageOrder(t.lessons)}
	models["stagename"] = t.crossed(t.stageNames, func(l *lesson, m *rank.Model) {
		read := rank.Models{"stageorder": models["stageorder"], "stagename": m}
		for _, one := range l.withOthers() {
			one.senses = one.seen.WithModels(read).Senses()
		}
	})
	models["meaning"] = t.crossed(t.meanings, func(l *lesson, m *rank.Model) { l.meaning = m.Classify(l.features) })
	models["stage"] = t.stages(models)
	return models
}

// atOnce calls the functions at the same time, and returns when all have returned.
func atOnce(functions ...func()) {
	var wait sync.WaitGroup
	for _, f := range functions {
		wait.Go(f)
	}
	wait.Wait()
}

// crossed returns a model that fit has trained with all lessons. Before, it calls tell for each lesson with a model
// that was trained without the lesson's writer.
func (t *trainer) crossed(fit func([]*lesson) *rank.Model, tell func(*lesson, *rank.Model)) *rank.Model {
	const folds = 2
	models := make([]*rank.Model, folds+1)
	fitAll := make([]func(), folds+1)
	for f := range fitAll {
		fitAll[f] = func() {
			var rest []*lesson
			for _, l := range t.lessons {
				if f == folds || l.fold(folds) != f {
					rest = append(rest, l)
				}
			}
			models[f] = fit(rest)
		}
	}
	atOnce(fitAll...)
	for _, l := range t.lessons {
		tell(l, models[l.fold(folds)])
	}
	return models[folds]
}

func (t *trainer) kinds(lessons []*lesson) *rank.Model {
	var all []rank.Example
	n := len(rank.KindNames())
	for _, l := range lessons {
		if k := l.kind(); k >= 0 {
			all = append(all, rank.Example{Vectors: []rank.Vector{l.features}, Right: oneHot(n, k), Weight: l.weight()})
		}
	}
	o := textOptions(n)
	o.Most = 28000
	return rank.Train(all, o)
}

func (t *trainer) sources(lessons []*lesson) *rank.Model {
	var all []rank.Example
	names := source.Names()
	for _, l := range lessons {
		if p := l.shares(t.tb, "source", names, l.Expected.Source); p != nil {
			all = append(all, rank.Example{Vectors: []rank.Vector{l.features}, Right: p, Weight: l.weight()})
		}
	}
	return rank.Train(append(all, phrases(t.rules.SourcePhrases, len(names))...), textOptions(len(names)))
}

// phrases returns the words of the lexicon as examples: each says little, and all together what inflected forms have in
// common.
func phrases(of func() ([]rank.Vector, []int), classes int) []rank.Example {
	const weight = 0.15
	vectors, numbers := of()
	all := make([]rank.Example, len(vectors))
	for i, v := range vectors {
		all[i] = rank.Example{Vectors: []rank.Vector{v}, Right: oneHot(classes, numbers[i]), Weight: weight}
	}
	return all
}

// stageNames fits what a stage is for, to the lexicon's words and to the pipelines of the labelled texts.
func (t *trainer) stageNames(lessons []*lesson) *rank.Model {
	n := len(rank.StageMeaningNames())
	vectors, concepts := t.rules.StagePhrases()
	var all []rank.Example
	for i, v := range vectors {
		all = append(all, rank.Example{Vectors: []rank.Vector{v}, Right: oneHot(n, concepts[i]), Weight: 1})
	}
	seen := map[string]bool{}
	for _, l := range lessons {
		key := strings.Join(l.stageNames(), "|")
		if seen[key] {
			continue
		}
		seen[key] = true
		for _, known := range []bool{true, false} {
			vectors, _ := l.seen.StageNames(known)
			for i, v := range vectors {
				if l.purposes[i] >= 0 {
					all = append(all, rank.Example{Vectors: []rank.Vector{v}, Right: oneHot(n, l.purposes[i]), Weight: 0.5})
				}
			}
		}
	}
	return rank.Train(all, rank.Options{Classes: n, Rounds: 12, Rate: 0.15, Decay: 3, Least: 2, Most: 8000})
}

// stageOrder fits which meaning comes after which in a pipeline; its end comes after the last.
func (t *trainer) stageOrder(lessons []*lesson) *rank.Model {
	n := len(rank.StageMeaningNames())
	var all []rank.Example
	seen := map[string]bool{}
	for _, l := range lessons {
		key := strings.Join(l.stageNames(), "|")
		if seen[key] {
			continue
		}
		seen[key] = true
		before := -1
		for _, i := range l.byRank() {
			if l.purposes[i] < 0 {
				break
			}
			all = append(all, rank.Example{
				Vectors: []rank.Vector{stage.OrderVector(before)}, Right: oneHot(n+1, l.purposes[i]), Weight: 1,
			})
			before = l.purposes[i]
		}
		all = append(all, rank.Example{
			Vectors: []rank.Vector{stage.OrderVector(before)}, Right: oneHot(n+1, n), Weight: 1,
		})
	}
	return rank.Train(all, rank.Options{Classes: n + 1, Rounds: 20, Rate: 0.2, Decay: 1, Least: 1, Most: 100})
}

// meaningShares returns what the label says of the stage: what the right stages are for, else none.
func (t *trainer) meaningShares(l *lesson) []float64 {
	right := t.rightStages(l)
	if right == nil {
		return nil
	}
	n := len(rank.MeaningNames())
	p := make([]float64, n)
	sum := 0.0
	for i, share := range right {
		switch {
		case i == len(l.purposes):
			p[n-1] += share
		case l.purposes[i] >= 0 && l.purposes[i] < n-1:
			p[l.purposes[i]] += share
		default:
			continue
		}
		sum += share
	}
	if sum == 0 {
		return nil
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

func (t *trainer) meanings(lessons []*lesson) *rank.Model {
	var all []rank.Example
	for _, l := range lessons {
		if p := t.meaningShares(l); p != nil {
			all = append(all, rank.Example{Vectors: []rank.Vector{l.features}, Right: p, Weight: l.weight()})
		}
	}
	n := len(rank.MeaningNames())
	all = append(append(all, phrases(t.rules.StatusPhrases, n)...), t.statements...)
	o := textOptions(n)
	o.Rounds, o.Drop, o.Most, o.Step = 30, 0.5, 140000, 0.06 // twelve classes, most of them rare
	return rank.Train(all, o)
}

// stages fits which stage is right, with what the other models say.
func (t *trainer) stages(models rank.Models) *rank.Model {
	var all []rank.Example
	for _, l := range t.lessons {
		for _, one := range l.withOthers() {
			one.kinds, one.meaning = l.kinds, l.meaning
			if p := t.rightStages(one); p != nil {
				all = append(all, rank.Example{
					Vectors: one.seen.WithModels(models).Stages(one.likely()), Right: p, Weight: one.weight(),
				})
			}
		}
	}
	return rank.Train(all, rankOptions())
}

// pruneOptions returns options for the models that choose the candidates that others rank: such a model must not lose
// the right one, but need not know which of the likely ones it is.
func pruneOptions() rank.Options {
	return rank.Options{Classes: 1, Rounds: 6, Rate: 0.1, Decay: 10, Least: 4, Most: 3000}
}

// pruneNames fits which candidates may be the company.
func (t *trainer) pruneNames() *rank.Model {
	var all []rank.Example
	for _, l := range t.lessons {
		texts, vectors := l.seen.AllNames()
		if e, ok := l.nameExample(t.tb, texts, vectors); ok {
			all = append(all, e)
		}
	}
	return rank.Train(all, pruneOptions())
}

// prunePeople fits who may be a founder.
func (t *trainer) prunePeople() *rank.Model {
	var all []rank.Example
	for _, l := range t.lessons {
		if !l.asks("founders") {
			continue
		}
		texts, vectors := l.seen.AllPeople()
		e := rank.Example{Vectors: vectors, Right: make([]float64, len(texts)), Weight: l.weight()}
		if l.shareAmong(e.Right, texts) {
			all = append(all, e)
		}
	}
	return rank.Train(all, pruneOptions())
}

// shareAmong sets the shares of the founders among texts, which add up to 1, and returns true; false if none of them is
// a founder.
func (l *lesson) shareAmong(shares []float64, texts []string) bool {
	named := 0
	for i, text := range texts {
		if l.isNamed(text) {
			shares[i] = 1
			named++
		}
	}
	for i := range shares {
		shares[i] /= float64(max(1, named))
	}
	return named > 0
}

// names fits which candidate is the company.
func (t *trainer) names(lessons []*lesson) *rank.Model {
	var all []rank.Example
	for _, l := range lessons {
		if e, ok := l.nameExample(t.tb, l.candidates, l.vectors); ok {
			all = append(all, e)
		}
	}
	o := rankOptions()
	nets := 1 // of models that only say what the model would say of unseen texts
	if len(lessons) == len(t.lessons) {
		nets = 4
	}
	o.Decay, o.Rounds = 3, 20
	o.Units = rank.UnitOptions{Count: 16, Nets: nets, Least: 200, Decay: 300}
	return rank.Train(all, o)
}

// deals fits whether a text is about a deal.
func (t *trainer) deals(lessons []*lesson) *rank.Model {
	var all []rank.Example
	for _, l := range lessons {
		if l.hasOnlyName() {
			continue
		}
		weight, none := l.weight(), l.Kind == "not_a_deal"
		if none { // one that is missed costs more
			weight *= 3
		}
		right := []float64{1, 0}
		if none {
			right = []float64{0, 1}
		}
		all = append(all, rank.Example{
			Vectors: []rank.Vector{l.seen.Deal(l.kinds, l.meaning, l.sure)}, Right: right, Weight: weight,
		})
	}
	o := textOptions(2)
	o.Rounds, o.Rate, o.Decay, o.Most = 10, 0.08, 8, 24000
	return rank.Train(all, o)
}

// crossedFirsts fits who is a founder most of all, or nobody.
func (t *trainer) crossedFirsts(lessons []*lesson) *rank.Model {
	for _, l := range lessons {
		if l.asks("founders") {
			l.people, l.persons = l.seen.People(l.kinds, l.meaning, l.company)
			l.persons = append(l.persons, l.seen.Nobody(l.kinds, l.meaning, len(l.people)))
		}
	}
	return t.crossed(t.firsts, func(l *lesson, m *rank.Model) {
		if l.asks("founders") {
			l.first = m.Rank(l.persons)
		}
	})
}

// founders fits whether somebody is a founder, each for themselves, by what crossedFirsts found.
func (t *trainer) founders(lessons []*lesson) *rank.Model {
	var all []rank.Example
	for _, l := range lessons {
		if !l.asks("founders") {
			continue
		}
		for i, more := range l.seen.Companions(l.first) {
			right := []float64{0, 1}
			if l.isNamed(l.people[i]) {
				right = []float64{1, 0}
			}
			more.Join(l.persons[i])
			all = append(all, rank.Example{Vectors: []rank.Vector{more, {}}, Right: right, Weight: l.weight()})
		}
		l.persons = nil
	}
	return rank.Train(all, rank.Options{Classes: 1, Rounds: 10, Rate: 0.1, Decay: 100, Least: 4, Most: 80000})
}

func (t *trainer) firsts(lessons []*lesson) *rank.Model {
	var all []rank.Example
	for _, l := range lessons {
		if !l.asks("founders") {
			continue
		}
		best := rank.Example{Vectors: l.persons, Right: make([]float64, len(l.persons)), Weight: l.weight()}
		switch named := l.shareAmong(best.Right[:len(l.people)], l.people); {
		case named:
		case len(l.Expected.Founders) > 0:
			continue // not among the candidates
		default:
			best.Right[len(l.people)] = 1
		}
		all = append(all, best)
	}
	return rank.Train(all, rank.Options{Classes: 1, Rounds: 10, Rate: 0.1, Decay: 30, Least: 4, Most: 50000})
}
