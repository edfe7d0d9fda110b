package rules_test

import (
	"testing"

	"dealflow/internal/analysis"
)

// TestStrangersInAnyCase checks that a recipient is a stranger, and a sender is none, in whatever case the text and a
// model write the address.
func TestStrangersInAnyCase(t *testing.T) {
	t.Parallel()
	strangers, _ := builtIn().Strangers(analysis.Input{
		Text: "From: Ann.Lee@Acme.io\nTo: Ida@Fund.example; ann.lee@acme.io\nSubject: Acme\n\nHi,\n\nwe build cranes " +
			"for small ports and raise a seed round.\n\nBest, Ann Lee",
	})
	for email, want := range map[string]bool{
		"ida@fund.example": true, "Ida@Fund.example": true, "ann.lee@acme.io": false, "Ann.Lee@Acme.io": false,
	} {
		if got := strangers.Has("", email); got != want {
			t.Errorf("%s is a stranger: %v, want %v", email, got, want)
		}
	}
}
