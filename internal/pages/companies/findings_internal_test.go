package companies

import (
	"testing"

	"dealflow/internal/analysis"
	"dealflow/internal/company/findings"
)

func TestWhatIsReviewedIsNamedForWhatItIs(t *testing.T) {
	t.Parallel()
	open := fields{}.findings(findings.Analysis{
		NeedsReview: []string{analysis.FieldSource, analysis.NotADeal, "deck.pdf could not be read"},
	})
	for i, want := range []string{"Source", "Text", "Files"} {
		if open[i].Label != want {
			t.Errorf("%q is called %s, want %s", open[i].Value, open[i].Label, want)
		}
	}
}
