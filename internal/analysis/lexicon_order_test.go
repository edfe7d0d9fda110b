package analysis

import (
	"path"
	"strings"
	"testing"
)

// TestNoPhraseStandsTwice: a phrase of two sections stands once, below a heading that names both in the order that
// counts.
func TestNoPhraseStandsTwice(t *testing.T) {
	t.Parallel()
	files, err := lexiconFiles.ReadDir("lexicon")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := file.Name()
		if path.Ext(name) != ".txt" {
			continue
		}
		seen := map[string]string{}
		for _, l := range loadLines(name) {
			key := strings.Join(phraseWords(l.text), " ")
			if first, twice := seen[key]; twice {
				t.Errorf("%s: %q stands in [%s] and in [%s]", name, l.text, first, l.sections)
			}
			seen[key] = l.sections
		}
	}
}
