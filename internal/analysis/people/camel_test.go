package people_test

import (
	"testing"

	"dealflow/internal/analysis/people"
)

func TestWordsWithACapitalInside(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"GridMint": true, "DealFlow": true, "DiscoVery": true, "VantageLabs": true, "McDonaldLabs": true,
		"McDonald": false, "MacArthur": false, "DeLuca": false, "DiCaprio": false, "VanDyke": false, "Delta": false,
		"De": false, "delta": false, "ACME": false, "": false,
	} {
		if got := people.IsCamel(word); got != want {
			t.Errorf("%q: %t, want %t", word, got, want)
		}
	}
}
