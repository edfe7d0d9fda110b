package people_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

func TestNamesInLowerCaseGetACapital(t *testing.T) {
	t.Parallel()
	words := lexicon.Load()
	reader := text.NewReader(words, links.NewExtractor(nil))
	finder := people.NewFinder(words, reader)
	for body, want := range map[string]string{
		"hey its priya, we build sensors for farms":             "Priya",
		"hey its élodie, we build sensors for farms":            "Élodie",
		"we build sensors for farms\n\nmilo strand, founder":    "Milo Strand",
		"we build sensors for farms\n\nélodie šimková, founder": "Élodie Šimková",
		"we build sensors for farms, deck to follow  - élodie":  "Élodie",
		"we build sensors for farms, deck to follow  - priya":   "Priya",
	} {
		scene := finder.Read(reader.Read(body, 2026))
		var names []string
		for _, m := range scene.Mentions {
			names = append(names, m.Name)
			if !utf8.ValidString(m.Name) {
				t.Errorf("%q: the name %q is not UTF-8", body, m.Name)
			}
		}
		if !slices.Contains(names, want) {
			t.Errorf("%q: the names are %q, want %q among them", body, names, want)
		}
	}
}
