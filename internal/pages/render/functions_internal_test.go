package render

import (
	"os"
	"regexp"
	"testing"

	"dealflow/internal/activity"
	"dealflow/internal/dashboard"
)

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
			"moved from New to Passed",
		},
		{
			activity.Entry{Type: activity.CompanyMerged, Description: "Company Bolt was merged into Acme"},
			&name,
			"was merged with Bolt",
		},
		{
			activity.Entry{Type: activity.CompanyMerged, Description: "Company Acme was merged into Acme"},
			&name,
			"was merged with Acme",
		},
		{
			activity.Entry{Type: activity.MergeUndone, Description: "The merge of company Bolt into Ace was undone"},
			&name,
			"was separated from Bolt",
		},
		{
			activity.Entry{Type: activity.MeetingAdded, Description: "Meeting minutes Kickoff were added"},
			&name,
			"Meeting minutes Kickoff were added",
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

func TestSubject(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"Series A": "Series A", " Hi\n": "Hi", "": "No subject", "\u200b\u00a0": "No subject",
	} {
		if got := subject(&given); got != want {
			t.Errorf("subject(%+q) = %q, want %q", given, got, want)
		}
	}
	if got := subject(nil); got != "No subject" {
		t.Errorf("subject(nil) = %q", got)
	}
}

func TestEachColorOfTheStyleSheetHasItsOwnClass(t *testing.T) {
	t.Parallel()
	styles, err := os.ReadFile("../assets/base.css")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`\.(c-h\d+) \{ background: (#[0-9a-f]{6}); \}`).FindAllStringSubmatch(string(styles), -1)
	if len(found) != len(classHues()) {
		t.Fatalf("the style sheet has %d classes for hues, want %d", len(found), len(classHues()))
	}
	for _, one := range found {
		if got := colorClass(one[2]); got != one[1] {
			t.Errorf("the class of %s is %s, want %s", one[2], got, one[1])
		}
	}
}

func TestColorsHaveTheClassOfTheNearestHue(t *testing.T) {
	t.Parallel()
	for color, want := range map[string]string{
		"#ff0020": "c-h0", "#ff0000": "c-h0", "#f59e0b": "c-h30", "#22c55e": "c-h120", "#10b981": "c-h150",
		"#ff0050": "c-h330", "#64748b": "c-slate", "": "c-none", "red": "c-none",
	} {
		if got := colorClass(color); got != want {
			t.Errorf("the class of %q is %s, want %s", color, got, want)
		}
	}
}
