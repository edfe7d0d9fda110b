//go:build train

package eval_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/rank"
)

// lesson is one labelled text as the trainer uses it.
type lesson struct {
	sample

	set      string
	seen     *analysis.Observation
	fresh    bool // the rules were not made with it
	features rank.Vector

	kinds, meaning []float64 // by models that were trained without it
	company        string    // likewise
	sure           []float64 // of the candidates

	candidates []string // for the company's name
	vectors    []rank.Vector
}

// weight is how much the text counts: what the rules were made with is likely easier than what comes.
func (l *lesson) weight() float64 {
	if l.fresh {
		return 1
	}
	return 0.5
}

func readLessons(tb testing.TB, rules *analysis.Rules) []*lesson {
	tb.Helper()
	classes := analysis.DefaultDeckClasses()
	var all []*lesson
	for _, set := range trainingSets(tb) {
		for _, s := range readSamples(tb, set) {
			l := &lesson{sample: s, set: set, seen: rules.Observe(s.input(classes)), fresh: !madeWith(set)}
			if !l.fresh && l.fold(2) == 0 { // half of them, so that the other half says what to do where the rules are right
				l.seen = l.seen.Blind()
			}
			l.features = l.seen.Text()
			all = append(all, l)
		}
	}
	return all
}

// oneHot returns shares with all at one place.
func oneHot(n, at int) []float64 {
	p := make([]float64, n)
	p[at] = 1
	return p
}

// kind returns the kind of text, -1 where nobody said so.
func (l *lesson) kind() int {
	if l.Kind != "" {
		return slices.Index(analysis.KindNames(), l.Kind)
	}
	switch {
	case l.Expected.Source == "form":
		return slices.Index(analysis.KindNames(), "form")
	case l.Expected.Source == "referral" && !slices.Contains(l.Tags, "note"):
		return slices.Index(analysis.KindNames(), "referral")
	case l.Expected.Source == "email" && slices.Contains(l.Tags, "fresh"):
		return slices.Index(analysis.KindNames(), "pitch")
	}
	return -1
}

// shares returns the right values among names, the label twice as much as its alternatives.
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

// stageNames returns the names of the stages, and none behind them.
func (l *lesson) stageNames() []string {
	var names []string
	for _, s := range l.Statuses {
		names = append(names, s.Name)
	}
	return append(names, "none")
}

// trainer fits one model after the other; the later ones use what the earlier ones say of texts that they were not
// trained with.
type trainer struct {
	tb      testing.TB
	rules   *analysis.Rules
	lessons []*lesson
	models  analysis.Models
}

func textOptions(classes int) rank.Options {
	return rank.Options{Classes: classes, Rounds: 8, Rate: 0.05, Decay: 30, Least: 2, Most: 18000}
}

func rankOptions() rank.Options {
	return rank.Options{Classes: 1, Rounds: 20, Rate: 0.3, Decay: 1, Least: 2, Most: 40000}
}

// trainAll returns models that were trained with the lessons.
func trainAll(tb testing.TB, rules *analysis.Rules, lessons []*lesson) analysis.Models {
	tb.Helper()
	t := &trainer{tb: tb, rules: rules, models: analysis.Models{}}
	for _, l := range lessons {
		own := *l
		t.lessons = append(t.lessons, &own)
	}
	t.models["kind"] = t.crossed(t.kinds, func(l *lesson, m *rank.Model) { l.kinds = m.Classify(l.features) })
	t.models["source"] = t.sources(t.lessons)
	t.models["stagename"] = t.stageNames()
	t.models["meaning"] = t.crossed(t.meanings, func(l *lesson, m *rank.Model) { l.meaning = m.Classify(l.features) })
	t.models["stage"] = t.stages(t.lessons)
	for _, l := range t.lessons {
		l.candidates, l.vectors = l.seen.Names(l.kinds)
	}
	t.models["name"] = t.crossed(t.names, func(l *lesson, m *rank.Model) {
		l.company = ""
		if len(l.candidates) > 0 {
			l.sure = m.Rank(l.vectors)
			l.company = l.candidates[top(l.sure)]
		}
	})
	t.models["founder"] = t.founders(t.lessons)
	t.models["deal"] = t.deals(t.lessons)
	return t.models
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

// crossed trains a model with all lessons, and tells each lesson what a model says that was trained without its writer.
func (t *trainer) crossed(fit func([]*lesson) *rank.Model, tell func(*lesson, *rank.Model)) *rank.Model {
	const folds = 2
	models := make([]*rank.Model, folds+1)
	var wait sync.WaitGroup
	for f := range folds + 1 {
		wait.Go(func() {
			var rest []*lesson
			for _, l := range t.lessons {
				if f == folds || l.fold(folds) != f {
					rest = append(rest, l)
				}
			}
			models[f] = fit(rest)
		})
	}
	wait.Wait()
	for _, l := range t.lessons {
		tell(l, models[l.fold(folds)])
	}
	return models[folds]
}

func (t *trainer) kinds(lessons []*lesson) *rank.Model {
	var all []rank.Example
	n := len(analysis.KindNames())
	for _, l := range lessons {
		if k := l.kind(); k >= 0 {
			all = append(all, rank.Example{Vectors: []rank.Vector{l.features}, Right: oneHot(n, k), Weight: l.weight()})
		}
	}
	return rank.Train(all, textOptions(n))
}

func (t *trainer) sources(lessons []*lesson) *rank.Model {
	var all []rank.Example
	names := analysis.SourceNames()
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
func (t *trainer) stageNames() *rank.Model {
	n := len(analysis.MeaningNames()) - 1
	vectors, concepts := analysis.StagePhrases()
	var all []rank.Example
	for i, v := range vectors {
		all = append(all, rank.Example{Vectors: []rank.Vector{v}, Right: oneHot(n, concepts[i]), Weight: 1})
	}
	seen := map[string]bool{}
	for _, l := range t.lessons {
		key := strings.Join(l.stageNames(), "|")
		if seen[key] {
			continue
		}
		seen[key] = true
		for _, known := range []bool{true, false} {
			vectors, concepts := l.seen.StageNames(known)
			for i, v := range vectors {
				if concepts[i] >= 0 {
					all = append(all, rank.Example{Vectors: []rank.Vector{v}, Right: oneHot(n, concepts[i]), Weight: 0.5})
				}
			}
		}
	}
	return rank.Train(all, rank.Options{Classes: n, Rounds: 12, Rate: 0.15, Decay: 3, Least: 2, Most: 8000})
}

// meaningShares returns what the label says of the stage: what the right stages are for, else none.
func (t *trainer) meaningShares(l *lesson) []float64 {
	right := t.rightStages(l)
	if right == nil {
		return nil
	}
	n := len(analysis.MeaningNames())
	senses := l.seen.WithModels(t.models).Senses()
	p := make([]float64, n)
	for i, share := range right {
		if i == len(senses) {
			p[n-1] += share
			continue
		}
		for m, q := range senses[i] {
			p[m] += share * q
		}
	}
	return p
}

func (t *trainer) rightStages(l *lesson) []float64 {
	if len(l.Statuses) == 0 {
		return nil
	}
	return l.shares(t.tb, "status", l.stageNames(), orNull(l.Expected.Status))
}

func (t *trainer) meanings(lessons []*lesson) *rank.Model {
	var all []rank.Example
	for _, l := range lessons {
		if p := t.meaningShares(l); p != nil {
			all = append(all, rank.Example{Vectors: []rank.Vector{l.features}, Right: p, Weight: l.weight()})
		}
	}
	n := len(analysis.MeaningNames())
	return rank.Train(append(all, phrases(t.rules.StatusPhrases, n)...), textOptions(n))
}

func (t *trainer) stages(lessons []*lesson) *rank.Model {
	var all []rank.Example
	for _, l := range lessons {
		if p := t.rightStages(l); p != nil {
			all = append(all, rank.Example{
				Vectors: l.seen.WithModels(t.models).Stages(l.kinds, l.meaning), Right: p, Weight: l.weight(),
			})
		}
	}
	return rank.Train(all, rankOptions())
}

// names fits which candidate is the company. Of many wrong ones a part is enough.
func (t *trainer) names(lessons []*lesson) *rank.Model {
	var all []rank.Example
	for _, l := range lessons {
		if e, ok := l.nameExample(t.tb, l.candidates, l.vectors); ok {
			all = append(all, e)
		}
	}
	return rank.Train(all, rankOptions())
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

// deals fits whether a text is about a deal.
func (t *trainer) deals(lessons []*lesson) *rank.Model {
	var all []rank.Example
	for _, l := range lessons {
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
	o.Rounds, o.Rate, o.Decay = 10, 0.08, 8
	return rank.Train(all, o)
}

func (t *trainer) founders(lessons []*lesson) *rank.Model {
	var all []rank.Example
	for _, l := range lessons {
		if !l.asks("founders") {
			continue
		}
		company := l.company
		texts, vectors := l.seen.People(l.kinds, company)
		for i, v := range vectors {
			right := []float64{0, 1}
			if l.isNamed(texts[i]) {
				right = []float64{1, 0}
			}
			all = append(all, rank.Example{Vectors: []rank.Vector{v, {}}, Right: right, Weight: l.weight()})
		}
	}
	return rank.Train(all, rank.Options{Classes: 1, Rounds: 10, Rate: 0.1, Decay: 100, Least: 4, Most: 20000})
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

// TestTrain trains the models, and says how well they read texts of writers that they have not seen.
func TestTrain(t *testing.T) {
	rules := analysis.NewRules(analysis.DefaultDeckClasses())
	lessons := readLessons(t, rules)
	fmt.Fprintln(t.Output(), len(lessons), "texts")
	unseen := crossValidate(t, rules, lessons)
	models := trainAll(t, rules, lessons)
	for i, set := range []string{"heldout", "blind-heldout", "like-heldout"} {
		for _, d := range decisions(t, rules.WithModels(models), set) {
			d.group += 1000 * (i + 1)
			unseen = append(unseen, d)
		}
	}
	keepCurves(t, unseen)
	data := rank.Encode(models)
	fmt.Fprintln(t.Output(), len(data), "bytes")
	if err := os.WriteFile("../lexicon/weights.bin", data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// keepCurves fits the confidences of what models choose to their choices on texts that they were not trained with.
func keepCurves(t *testing.T, unseen []decided) {
	t.Helper()
	curves := readCurves(t)
	for field, part := range byField(unseen) {
		if isRanked(field) {
			curves[field] = fit(part)
		}
	}
	sayHowSure(t, unseen)
	writeJSON(t, curvesFile, curves)
}

const outerFolds = 3

// crossValidate scores every text by models that were trained without its writer.
func crossValidate(t *testing.T, rules *analysis.Rules, lessons []*lesson) []decided {
	t.Helper()
	var unseen []decided
	r := map[string]tally{}
	var lines []string
	for f := range outerFolds {
		var rest, held []*lesson
		for _, l := range lessons {
			if l.fold(outerFolds) == f {
				held = append(held, l)
			} else {
				rest = append(rest, l)
			}
		}
		models := trainAll(t, rules, rest)
		for _, l := range held {
			if l.fresh {
				lines = append(lines, probe(t, l, models, r)...)
				whole(t, rules.WithModels(models), l, "whole: ", r)
				in := l.input(analysis.DefaultDeckClasses())
				unseen = append(unseen, l.judged(t, in, rules.WithModels(models).Decisions(in), 1, l.fold(1<<20))...)
			}
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprintln(t.Output(), line)
	}
	names := make([]string, 0, len(r))
	for name := range r {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(t.Output(), "%-30s %5.1f %% of %d\n", name, r[name].percent(), r[name].all)
	}
	return unseen
}

// sayHowSure prints, for curves fitted without the text itself, how far confidences are off and what asking for a look
// below some of them finds.
func sayHowSure(t *testing.T, unseen []decided) {
	t.Helper()
	var asked []decided
	parts := byField(unseen)
	fields := make([]string, 0, len(parts))
	for field := range parts {
		fields = append(fields, field)
	}
	slices.Sort(fields)
	for _, field := range fields {
		part := parts[field]
		promises := crossed(part)
		right := 0.0
		for i := range part {
			part[i].confidence = promises[i]
			right += truth(part[i].right)
		}
		fmt.Fprintf(t.Output(), "%-12s %4d decisions, right %.3f, calibration error %.3f\n", field, len(part),
			right/float64(len(part)), calibrationError(part, func(d decided) float64 { return d.confidence }))
		if isRanked(field) && field != analysis.FieldFounders {
			asked = append(asked, part...)
		}
	}
	for _, limit := range []float64{0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8} {
		wrong, found, flagged := 0, 0, 0
		for _, d := range asked {
			wrong += int(truth(!d.right))
			if d.confidence < limit {
				flagged++
				found += int(truth(!d.right))
			}
		}
		fmt.Fprintf(t.Output(), "a look below %.2f: recall %.2f, precision %.2f\n", limit,
			float64(found)/float64(max(1, wrong)), float64(found)/float64(max(1, flagged)))
	}
}

// probe counts what the single models get right of a text.
func probe(t *testing.T, l *lesson, models analysis.Models, r map[string]tally) []string {
	t.Helper()
	var lines []string
	count := func(name string, right bool, got, want string) {
		c := r[name]
		c.all++
		if right {
			c.right++
		} else {
			lines = append(lines, fmt.Sprintf("%s %s got %.60q want %.60q", name, l.ID, got, want))
		}
		r[name] = c
	}
	seen := l.seen.WithModels(models)
	v := seen.Text()
	kinds := models["kind"].Classify(v)
	if l.kind() >= 0 {
		k := top(kinds)
		count("kind", k == l.kind(), analysis.KindNames()[k], l.Kind)
	}
	texts, vectors := seen.Names(kinds)
	sure := models["name"].Rank(vectors)
	none := models["deal"].Classify(seen.Deal(kinds, models["meaning"].Classify(v), sure))[1]
	for _, least := range []float64{0.3, 0.4, 0.5, 0.6} {
		if l.Kind == "not_a_deal" {
			count(fmt.Sprintf("no deal above %.2f: recall", least), none > least, fmt.Sprintf("%.2f", none), l.Kind)
		} else {
			count(fmt.Sprintf("no deal above %.2f: specificity", least), none <= least, "", "")
		}
	}
	if l.asks("source") {
		got := analysis.SourceNames()[top(models["source"].Classify(v))]
		count("source", l.accepts(t, "source", got, l.Expected.Source), got, l.Expected.Source)
	}
	if l.asks("status") && len(l.Statuses) > 0 {
		meaning := models["meaning"].Classify(v)
		p := models["stage"].Rank(seen.Stages(kinds, meaning))
		got := l.stageNames()[top(p)]
		free := l.stageNames()[top(seen.Allowed(kinds, meaning, p))]
		count("status as allowed", l.accepts(t, "status", free, orNull(l.Expected.Status)), "", "")
		count("status", l.accepts(t, "status", got, orNull(l.Expected.Status)),
			got+" "+analysis.MeaningNames()[top(meaning)], orNull(l.Expected.Status))
	}
	company := ""
	if l.asks("name") {
		has := slices.ContainsFunc(texts, func(s string) bool { return l.accepts(t, "name", s, l.Expected.Name) })
		count("name: candidates", has, "", l.Expected.Name)
		if len(texts) > 0 {
			company = texts[top(sure)]
		}
		count("name", l.accepts(t, "name", company, l.Expected.Name), company, l.Expected.Name)
		c := r["candidates a text"]
		c.all++
		c.right += len(texts)
		r["candidates a text"] = c
	}
	if l.asks("founders") {
		texts, vectors := seen.People(kinds, company)
		var got []string
		for i, v := range vectors {
			if models["founder"].Rank([]rank.Vector{v, {}})[0] > 0.5 {
				got = append(got, texts[i])
			}
		}
		all := len(got) == len(l.Expected.Founders)
		for _, f := range l.Expected.Founders {
			has := slices.ContainsFunc(texts, func(s string) bool {
				return bareName(s) == bareName(f.Name) || bareName(l.labelFor(s)) == bareName(f.Name)
			})
			count("founder: candidates", has, "", f.Name)
			all = all && slices.ContainsFunc(got, func(s string) bool {
				return bareName(s) == bareName(f.Name) || bareName(l.labelFor(s)) == bareName(f.Name)
			})
		}
		var want []string
		for _, f := range l.Expected.Founders {
			want = append(want, f.Name)
		}
		count("founders (names)", all, strings.Join(got, ", "), strings.Join(want, ", "))
	}
	return lines
}

func (s sample) accepts(tb testing.TB, field, got, want string) bool {
	tb.Helper()
	return got == want || slices.Contains(s.alternatives(tb, field), got)
}

// whole counts what the rules with certain models answer.
func whole(t *testing.T, rules *analysis.Rules, l *lesson, prefix string, r map[string]tally) {
	t.Helper()
	a := answer(t, rules, analysis.DefaultDeckClasses(), l.sample)
	all := true
	for _, field := range fieldNames()[:6] {
		if !l.asks(field) {
			continue
		}
		right, _, _ := l.judge(t, a, field)
		c := r[prefix+field]
		c.all++
		if right {
			c.right++
		}
		r[prefix+field] = c
		all = all && right
	}
	c := r[prefix+"all six"]
	c.all++
	if all {
		c.right++
	}
	r[prefix+"all six"] = c
}
