package companies

import (
	"strings"
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

// TestOnlyLongStretchesWithoutQuotesAreShortened checks that a quote in the middle of a long text stays.
func TestOnlyLongStretchesWithoutQuotesAreShortened(t *testing.T) {
	t.Parallel()
	const long = 100_000
	text := "a" + strings.Repeat("é", long) + "quote" + strings.Repeat("z", shownBefore+shownAfter)
	at := findings.Evidence{Start: 1 + long, End: 1 + long + len("quote")}
	short := shortened(mark(text, []findings.Evidence{at}))
	if len(short) != 4 {
		t.Fatalf("%d stretches, want 4", len(short))
	}
	for i, want := range []stretch{
		{Text: "a" + strings.Repeat("é", shownBefore-1), Hidden: 1 + long - shownBefore - shownAfter},
		{Text: strings.Repeat("é", shownAfter)},
		{Text: "quote", Quoted: true},
		{Text: strings.Repeat("z", shownBefore+shownAfter)},
	} {
		if got := short[i]; got.Text != want.Text || got.Hidden != want.Hidden || got.Quoted != want.Quoted {
			t.Errorf("stretch %d: %.20q of %d bytes, %d hidden, quoted %t", i, got.Text, len(got.Text), got.Hidden, got.Quoted)
		}
	}
}
