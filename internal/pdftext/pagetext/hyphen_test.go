package pagetext_test

import (
	"strings"
	"testing"

	"dealflow/internal/pdftext/pagetext"
)

// What the end of a line divides is one word again: without a hyphen where the document shows that it divides words.
func TestDividedWordsAreJoined(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		lines []string
		want  string
	}{
		"the word is elsewhere": {[]string{"our pre-", "diction of a prediction"}, "our prediction of a prediction"},
		"the document divides words": {
			[]string{"our pre-", "diction of a prediction for com-", "panies"}, "our prediction of a prediction for companies",
		},
		"it has the hyphen elsewhere": {
			[]string{"our pre-", "diction of a prediction at pre-", "seed, not after pre-seed"},
			"our prediction of a prediction at pre-seed, not after pre-seed",
		},
		"both halves are words of it": {
			[]string{"our pre-", "diction of a prediction in real-", "time, a real time"},
			"our prediction of a prediction in real-time, a real time",
		},
		"nothing shows it": {[]string{"we raise a pre-", "seed round"}, "we raise a pre-seed round"},
		"several hyphens": {
			[]string{"pre-", "diction, prediction, go-to-", "market"}, "prediction, prediction, go-to-market",
		},
		"an address": {
			[]string{"pre-", "diction, prediction, hotel.example/our-", "deck"},
			"prediction, prediction, hotel.example/our-deck",
		},
		"a hyphen of another font": {[]string{"our pre\u2010", "diction of a prediction"}, "our prediction of a prediction"},
		"a soft hyphen":            {[]string{"our pre\u00ad", "diction"}, "our prediction"},
		"names":                    {[]string{"Anna Berg-", "Olsen"}, "Anna Berg-\nOlsen"},
		"a dash":                   {[]string{"growth -", "not cost"}, "growth -\nnot cost"},
		"numbers":                  {[]string{"2024-", "2025"}, "2024-\n2025"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages := pagetext.Join([]string{pagetext.Clean(strings.Join(tc.lines, "\n"))})
			if pages[0] != tc.want {
				t.Errorf("joined %q, want %q", pages[0], tc.want)
			}
		})
	}
}
