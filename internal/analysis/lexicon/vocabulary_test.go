package lexicon

import (
	"strings"
	"testing"
)

// TestVocabularyIsInOrder: each section of vocabulary.lst has its words folded, in order, each once.
func TestVocabularyIsInOrder(t *testing.T) {
	t.Parallel()
	sections := map[string][]string{}
	for _, line := range Lines("vocabulary.lst") {
		sections[line.Sections] = append(sections[line.Sections], strings.Fields(line.Text)...)
	}
	for _, name := range []string{"given", "surname", "word"} {
		words := sections[name]
		if len(words) < 10000 {
			t.Errorf("[%s] has %d words", name, len(words))
		}
		for i, w := range words {
			if w != Fold(w) || i > 0 && words[i-1] >= w {
				t.Errorf("[%s]: %q is not folded, not in order or there twice", name, w)
			}
		}
		delete(sections, name)
	}
	if len(sections) > 0 {
		t.Errorf("sections that are not read: %v", sections)
	}
}

func TestListsOf(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"floortje": "g", "brocklehurst": "s", "stunden": "w", "everett": "gs", "weiss": "sw", "gridmint": "",
	} {
		if got := ListsOf(word); got != want {
			t.Errorf("%q is in the lists %q, want %q", word, got, want)
		}
	}
}
