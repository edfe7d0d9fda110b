package lexicon

import (
	"path"
	"strings"
	"testing"
)

// TestNoPhraseStandsTwice: a phrase of two sections is there once, below a heading that names both in the order that
// counts.
func TestNoPhraseStandsTwice(t *testing.T) {
	t.Parallel()
	list, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range list {
		name := file.Name()
		if path.Ext(name) != ".txt" {
			continue
		}
		seen := map[string]string{}
		for _, l := range Lines(name) {
			key := strings.Join(phraseWords(l.Text), " ")
			if first, twice := seen[key]; twice {
				t.Errorf("%s: %q stands in [%s] and in [%s]", name, l.Text, first, l.Sections)
			}
			seen[key] = l.Sections
		}
	}
}
