package rules_test

import (
	"testing"

	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
)

// What the API asks of the rules needs no models.
func TestOutlinesNeedNoModels(t *testing.T) {
	t.Parallel()
	classes := links.DefaultDeckClasses()
	learned, unlearned := rules.New(classes), rules.Unlearned(classes)
	for id, in := range labelledInputs(t) {
		want, got := learned.Outline(in.Text), unlearned.Outline(in.Text)
		if got.DeckURL != want.DeckURL || len(got.Links) != len(want.Links) || got.FallbackName() != want.FallbackName() {
			t.Errorf("%s: %q %q, want %q %q", id, got.DeckURL, got.FallbackName(), want.DeckURL, want.FallbackName())
		}
		for _, stage := range in.Stages {
			if unlearned.IsClosing(stage.Name) != learned.IsClosing(stage.Name) {
				t.Errorf("%s: whether %q closes a deal depends on the models", id, stage.Name)
			}
		}
	}
}
