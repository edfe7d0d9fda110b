package pages

import (
	"testing"

	"dealflow/internal/activity"
	"dealflow/internal/analysis"
	"dealflow/internal/company/findings"
	"dealflow/internal/dashboard"
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

func TestEventsDoNotRepeatTheirCompany(t *testing.T) {
	t.Parallel()
	name := "Acme"
	for _, c := range []struct {
		entry activity.Entry
		name  *string
		want  string
	}{
		{activity.Entry{Type: activity.CompanyAdded, Description: "Company Untitled company was added"}, &name, "was added"},
		{
			activity.Entry{Type: activity.StatusChanged, Description: "Company Acme moved from New to Passed"},
			&name,
			"moved from New to Passed",
		},
		{
			activity.Entry{Type: activity.StatusChanged, Description: "Company Ace moved from New to Passed"},
			&name,
			"Company Ace moved from New to Passed",
		},
		{
			activity.Entry{Type: activity.CompanyDeleted, Description: "Company Acme was deleted"},
			nil,
			"Company Acme was deleted",
		},
	} {
		if got := happened(dashboard.Event{Entry: c.entry, CompanyName: c.name}); got != c.want {
			t.Errorf("%q of %s is %q, want %q", c.entry.Description, c.entry.Type, got, c.want)
		}
	}
}
