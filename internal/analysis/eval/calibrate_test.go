package eval_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/rules"
)

// calibrate fits the confidences again and writes them beside the lexicon.
var calibrate = flag.Bool("calibrate", false,
	"fit the confidences of the rules to the labelled sets and write lexicon/calibration.json")

// decided is a decision of the rules: its features, its confidence, and whether it is right.
type decided struct {
	field      string
	features   map[string]float64
	confidence float64
	right      bool
	weight     float64
	group      int // decisions of one sample share it
}

// weightOf returns the weight of the decisions on a set in a fit. It is small for tuning sets: the rules were made to
// be right on them, so they say little about new texts.
func weightOf(set string) float64 {
	if strings.HasSuffix(set, "tuning") {
		return 0.05
	}
	return 1
}

// decisions returns those decisions on the texts of a set whose fields the labels speak of, each with whether it is
// right.
func decisions(tb testing.TB, read []reading, set string) []decided {
	tb.Helper()
	var all []decided
	for i, r := range read {
		all = append(all, r.judged(tb, r.in, r.decisions, weightOf(set), i)...)
	}
	return all
}

// judged returns the decisions that the labels speak of, each with whether they find it right. Certain ones are left
// out.
func (s sample) judged(
	tb testing.TB, in analysis.Input, made []rules.Decision, weight float64, group int,
) []decided {
	tb.Helper()
	var all []decided
	var founders []analysis.Founder
	for _, d := range made {
		if d.Field == analysis.FieldFounders {
			founders = append(founders, analysis.Founder{Name: d.Value, Email: d.Email})
		}
	}
	for _, d := range made {
		var right, known bool
		if d.Field == "founders_all" {
			var a answers
			a.Founders = founders
			right, _, _ = s.judge(tb, a, "founders")
			known = s.asks("founders")
		} else {
			right, known = s.holds(tb, in, d)
		}
		if known && d.Features["certain"] == 0 {
			all = append(all, decided{
				field: d.Field, features: d.Features, confidence: d.Confidence, right: right, weight: weight, group: group,
			})
		}
	}
	return all
}

// holds reports whether a decision is right by the labels, and whether the labels speak of it at all.
func (s sample) holds(tb testing.TB, in analysis.Input, d rules.Decision) (right, known bool) {
	tb.Helper()
	a := answers{urls: in.Links, deckURL: in.DeckURL}
	a.Name, a.Source, a.StatusID, a.DeckDocumentID, a.Summary = d.Value, d.Value, d.Value, d.Value, d.Value
	if d.Field == analysis.FieldFounders {
		return s.isFounder(tb, d), s.asks("founders")
	}
	field := d.Field
	if field == "deck_link" {
		field = "deck_url"
	}
	if !s.asks(field) {
		return false, false
	}
	right, _, _ = s.judge(tb, a, field)
	return right, true
}

// isFounder reports whether somebody is one of the founders, by name and address, in the labels or in one of their
// variants.
func (s sample) isFounder(tb testing.TB, d rules.Decision) bool {
	tb.Helper()
	for _, list := range append(s.otherFounders(tb), s.Expected.Founders) {
		for _, f := range list {
			if person(s.labelFor(d.Value), d.Email) == person(f.Name, f.Email) {
				return true
			}
		}
	}
	return false
}

// curve is a logistic curve as calibration.json holds it.
type curve struct {
	Bias    float64            `json:"bias"`
	Weights map[string]float64 `json:"weights"`
}

func (c curve) at(features map[string]float64) float64 {
	x := c.Bias
	for _, name := range slices.Sorted(maps.Keys(features)) {
		x += c.Weights[name] * features[name]
	}
	return 1 / (1 + math.Exp(-x))
}

// fit returns the logistic curve that makes the decisions most likely, by gradient descent. It keeps weights near 0
// unless many decisions support them, so that a rare feature changes the confidence little.
func fit(all []decided) curve {
	const rounds, rate, strength = 3000, 0.5, 1.5
	// where nothing ever failed, something will
	all = append(slices.Clone(all), decided{right: true, weight: 1}, decided{weight: 1})
	names, rows := dense(all)
	var total, bias float64
	for _, d := range all {
		total += d.weight
	}
	weights, slope := make([]float64, len(names)), make([]float64, len(names))
	for range rounds {
		biasSlope := 0.0
		clear(slope)
		for i, d := range all {
			x := bias
			for n, value := range rows[i] {
				x += weights[n] * value
			}
			miss := d.weight * (1/(1+math.Exp(-x)) - truth(d.right))
			biasSlope += miss
			for n, value := range rows[i] {
				slope[n] += miss * value
			}
		}
		bias -= rate * biasSlope / total
		for n := range weights {
			weights[n] -= rate * (slope[n] + strength*weights[n]) / total
		}
	}
	c := curve{Bias: round3(bias), Weights: map[string]float64{}}
	for n, name := range names {
		c.Weights[name] = round3(weights[n])
	}
	return c
}

// dense returns the names of all features, and a row of their values for each decision.
func dense(all []decided) ([]string, [][]float64) {
	seen := map[string]bool{}
	for _, d := range all {
		for name := range d.features {
			seen[name] = true
		}
	}
	names := slices.Sorted(maps.Keys(seen))
	rows := make([][]float64, len(all))
	for i, d := range all {
		rows[i] = make([]float64, len(names))
		for n, name := range names {
			rows[i][n] = d.features[name]
		}
	}
	return names, rows
}

func truth(right bool) float64 {
	if right {
		return 1
	}
	return 0
}

func round3(x float64) float64 { return math.Round(1000*x) / 1000 }

// byField splits decisions by field.
func byField(all []decided) map[string][]decided {
	parts := map[string][]decided{}
	for _, d := range all {
		parts[d.field] = append(parts[d.field], d)
	}
	return parts
}

// calibrationError returns the mean distance between what decisions promise and how many of them are right, over bins
// of equal size, weighed by their number.
func calibrationError(all []decided, promise func(decided) float64) float64 {
	const bins = 6
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b decided) int {
		switch pa, pb := promise(a), promise(b); {
		case pa < pb:
			return -1
		case pa > pb:
			return 1
		}
		return 0
	})
	var sum float64
	for b := range bins {
		part := all[b*len(all)/bins : (b+1)*len(all)/bins]
		var promised, right float64
		for _, d := range part {
			promised += promise(d)
			right += truth(d.right)
		}
		sum += math.Abs(promised - right)
	}
	return sum / float64(max(1, len(all)))
}

// crossed returns a confidence for each decision, by its index in all. It fits five curves, each without a fifth of the
// samples, and uses for a decision the curve that was fitted without its sample.
func crossed(all []decided) map[int]float64 {
	const folds = 5
	promises := map[int]float64{}
	for f := range folds {
		var rest []decided
		for _, d := range all {
			if d.group%folds != f {
				rest = append(rest, d)
			}
		}
		c := fit(rest)
		for i, d := range all {
			if d.group%folds == f {
				promises[i] = c.at(d.features)
			}
		}
	}
	return promises
}

// mostError is how far confidences may be off on average.
const mostError = 0.12

// fewDecisions is the most decisions of a field that TestCalibrate fits without -calibrate. To fit those of all fields
// takes half a minute.
const fewDecisions = 100

// TestCalibrate fits the curves of what the rules decide alone, and fails if these are wrong on samples that the fit
// has not seen. It fits those of few decisions each time. With -calibrate it fits all of them and writes them. The
// curves of what models choose are fitted when the models are trained.
func TestCalibrate(t *testing.T) {
	scoresOnly(t)
	var all []decided
	for _, set := range readSets(t) {
		all = append(all, decisions(t, readByRules(t, set), set)...)
	}
	curves := readCurves(t)
	for field, part := range byField(all) {
		if isRanked(field) || !*calibrate && len(part) > fewDecisions {
			continue
		}
		curves[field] = fit(part)
		promises := crossed(part)
		unseen := calibrationErrorBy(part, func(i int) float64 { return promises[i] })
		fmt.Fprintf(t.Output(), "%-10s %4d decisions, error %.3f on unseen samples\n", field, len(part), unseen)
		if unseen > mostError {
			t.Errorf("%s: a fit is off by %.3f on samples that it has not seen, more than %.2f", field, unseen, mostError)
		}
	}
	if *calibrate {
		writeJSON(t, curvesFile, curves)
	}
}

const curvesFile = "../lexicon/calibration.json"

func readCurves(t *testing.T) map[string]curve {
	t.Helper()
	data, err := os.ReadFile(curvesFile)
	if err != nil {
		t.Fatal(err)
	}
	curves := map[string]curve{}
	if err := json.Unmarshal(data, &curves); err != nil {
		t.Fatal(err)
	}
	return curves
}

// isRanked reports whether a model chooses the value of a field.
func isRanked(field string) bool {
	switch field {
	case analysis.FieldName, analysis.FieldSource, analysis.FieldStatus, analysis.FieldFounders, "founders_all":
		return true
	}
	return false
}

// calibrationErrorBy is calibrationError with promise(i) as the confidence of the decision at index i.
func calibrationErrorBy(all []decided, promise func(int) float64) float64 {
	numbered := slices.Clone(all)
	for i := range numbered {
		numbered[i].confidence = promise(i)
	}
	return calibrationError(numbered, func(d decided) float64 { return d.confidence })
}

// unseenSets are the sets that the rules were not made with.
func unseenSets(tb testing.TB) []string {
	tb.Helper()
	return append([]string{"heldout", "blind-heldout", "like-heldout", "decks", "summaries"}, handSets(tb, true)...)
}

// TestConfidencesAreCalibrated: what is said with a confidence of c is right in about c of the cases.
func TestConfidencesAreCalibrated(t *testing.T) {
	scoresOnly(t)
	var all []decided
	for _, set := range unseenSets(t) {
		all = append(all, decisions(t, readByRules(t, set), set)...)
	}
	parts := byField(all)
	for _, field := range slices.Sorted(maps.Keys(parts)) {
		part := parts[field]
		off := calibrationError(part, func(d decided) float64 { return d.confidence })
		var promised, right float64
		for _, d := range part {
			promised += d.confidence
			right += truth(d.right)
		}
		n := float64(len(part))
		fmt.Fprintf(t.Output(), "%-10s %4d decisions, mean confidence %.3f, right %.3f, expected calibration error %.3f\n",
			field, len(part), promised/n, right/n, off)
		if off > mostError {
			t.Errorf("%s: confidences are off by %.3f on average, more than %.2f", field, off, mostError)
		}
	}
}
