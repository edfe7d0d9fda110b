package founders

import (
	"strings"
	"testing"

	"dealflow/internal/analysis/lexicon"
)

// TestTheOwnNameIsFoundByItsLetters checks that findSqueezed finds each part of a text that has the letters and digits
// of a name.
func TestTheOwnNameIsFoundByItsLetters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body, name string
		times      int
	}{
		{"Kelp-Forge and KELPFORGE, not kelp", "kelpforge", 2},
		{"Café Ole\u0301 (cafe-olé.fr)", "cafeole", 2},
		{"aaaa", "aa", 3},
		{"Straußwerk\xff AG", "strausswerkag", 1},
		{"株式会社アオバ、アオバ", "アオバ", 2},
		{"nothing", "acme", 0},
		{"anything", "", 0},
	} {
		found := findSqueezed(c.body, c.name)
		if len(found) != c.times {
			t.Errorf("%q has %q %d times, want %d", c.body, c.name, len(found), c.times)
		}
		for _, s := range found {
			if got := lexicon.Squeeze(c.body[s.start:s.end]); got != c.name {
				t.Errorf("%q: found %q, want %q", c.body, got, c.name)
			}
		}
		context := &Context{ownAt: found}
		for place := range len(c.body) {
			want := c.name != "" && strings.Contains(lexicon.Squeeze(c.body), c.name)
			if got := context.isOwnNear(place, place+1); got != want {
				t.Errorf("%q: %q near byte %d: %v, want %v", c.body, c.name, place, got, want)
			}
		}
	}
}
