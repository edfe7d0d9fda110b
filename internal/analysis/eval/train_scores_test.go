//go:build train

package eval_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/analysis/source"
	"dealflow/internal/analysis/stage"
)

// The texts are split by writer into three parts, of which one is judged: enough for the curves, in less than half the
// time of all.
const outerFolds, judgedFolds = 3, 1

// crossValidate scores a third of the texts that the rules were not made with, by models that were trained without
// their writers. It prints the scores, and returns the decisions on those texts.
func crossValidate(t *testing.T, rules *rules.Rules, lessons []*lesson) []decided {
	t.Helper()
	var unseen []decided
	r := map[string]tally{}
	var lines []string
	for f := range judgedFolds {
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
				in := l.input(newLinkReaders())
				_, made := rules.WithModels(models).Explain(in)
				unseen = append(unseen, l.judged(t, in, made, 1, l.fold(1<<20))...)
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

// sayHowSure prints how far confidences are off, by curves fitted without the text itself. For some limits it also
// prints how many wrong values a person would find who looks at all values below the limit.
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

// probe counts what each of the models gets right of a text, and returns a line for each miss.
func probe(t *testing.T, l *lesson, models rank.Models, r map[string]tally) []string {
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
		count("kind", k == l.kind(), rank.KindNames()[k], l.Kind)
	}
	texts, vectors := seen.Names(kinds)
	sure := models["name"].Rank(vectors)
	none := models["deal"].Classify(seen.Deal(kinds, models["meaning"].Classify(v), sure))[1]
	for _, least := range []float64{0.05, 0.1, 0.15, 0.2, 0.3, 0.5} {
		if l.Kind == "not_a_deal" {
			count(fmt.Sprintf("no deal above %.2f: recall", least), none > least, fmt.Sprintf("%.2f", none), l.Kind)
		} else {
			count(fmt.Sprintf("no deal above %.2f: specificity", least), none <= least, "", "")
		}
	}
	if l.asks("source") {
		got := source.Names()[top(models["source"].Classify(v))]
		count("source", l.accepts(t, "source", got, l.Expected.Source), got, l.Expected.Source)
	}
	if l.asks("status") && len(l.Statuses) > 0 {
		meaning := models["meaning"].Classify(v)
		likely := stage.Likely{Kinds: kinds, Meaning: meaning, Senses: seen.Senses()}
		p := models["stage"].Rank(seen.Stages(likely))
		got := l.stageNames()[top(p)]
		free := l.stageNames()[top(seen.Allowed(likely, p))]
		count("status as allowed", l.accepts(t, "status", free, orNull(l.Expected.Status)), "", "")
		count("status", l.accepts(t, "status", got, orNull(l.Expected.Status)),
			got+" "+rank.MeaningNames()[top(meaning)], orNull(l.Expected.Status))
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
		texts, vectors := seen.People(kinds, models["meaning"].Classify(v), company)
		var got []string
		nobody := seen.Nobody(kinds, models["meaning"].Classify(v), len(texts))
		first := models["first"].Rank(append(slices.Clone(vectors), nobody))
		for i, v := range seen.Companions(first) {
			v.Join(vectors[i])
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

// whole counts what the rules with these models get right of a text.
func whole(t *testing.T, rules *rules.Rules, l *lesson, prefix string, r map[string]tally) {
	t.Helper()
	in := l.input(newLinkReaders())
	found, _ := rules.Explain(in)
	a := kept(in, found)
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
