package render

import (
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
