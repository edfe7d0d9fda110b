//go:build train

package eval_test

import (
	"fmt"
	"os"
	"testing"

	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/rules"
)

// TestTrain trains the models, and says how well they read texts of writers that they have not seen.
func TestTrain(t *testing.T) {
	rules := unpruned()
	lessons := readLessons(t, rules)
	fmt.Fprintln(t.Output(), len(lessons), "texts")
	unseen := crossValidate(t, rules, lessons)
	models := trainAll(t, rules, lessons)
	for i, set := range []string{"heldout", "blind-heldout", "like-heldout"} {
		for _, d := range decisions(t, explainAll(t, rules.WithModels(models), set), set) {
			d.group += 1000 * (i + 1)
			unseen = append(unseen, d)
		}
	}
	keepCurves(t, unseen)
	writeWeights(t, models)
}

// TestTrainPruning trains the models that leave candidates out, and keeps all others.
func TestTrainPruning(t *testing.T) {
	models := rank.Embedded()
	rules := unpruned()
	learned := &trainer{tb: t, rules: rules, lessons: readLessons(t, rules)}
	models[rank.PruneNames], models[rank.PrunePeople] = learned.pruneNames(), learned.prunePeople()
	writeWeights(t, models)
}

// unpruned returns the rules without models, so with all candidates, from which the models learn that rank them: models
// that learned from what is kept alone choose worse.
func unpruned() *rules.Rules { return rules.Unlearned(links.DefaultDeckClasses()) }

// writeWeights writes the models into the lexicon. It leaves out the weakest features of meanings, which change no
// score beyond chance, so that all models together take less than 2 MB.
func writeWeights(t *testing.T, models rank.Models) {
	t.Helper()
	const mostOfMeaning = 132000
	models[rank.Meaning] = models[rank.Meaning].Strongest(mostOfMeaning)
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
