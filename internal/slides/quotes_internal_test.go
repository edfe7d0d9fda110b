package slides

import (
	"math"
	"strings"
	"testing"

	"dealflow/internal/pdftext"
)

// page lays texts out as lines of words. Words begin at each tenth of the page's width, and lines at each tenth of its
// height.
func page(texts ...string) (words []pdftext.Word) {
	for y, text := range texts {
		for x, word := range strings.Fields(text) {
			words = append(words, pdftext.Word{
				Text: word, Left: float64(x) / 10, Right: float64(x)/10 + 0.08, Top: float64(y) / 10, Bottom: float64(y)/10 + 0.05,
			})
		}
	}
	return words
}

func TestQuotesAreFoundByTheirLetters(t *testing.T) {
	t.Parallel()
	words := page("We are A C M E,", "the an- vils of of\ufb01ces", "Ελλάς")
	for quote, want := range map[string][]Area{
		"we are acme":     {{0, 0, 0.58, 0.05}},
		"“ACME”":          {{0.2, 0, 0.38, 0.05}},
		"acme the anvils": {{0.2, 0, 0.38, 0.05}, {0, 0.1, 0.28, 0.05}},
		"offices":         {{0.4, 0.1, 0.08, 0.05}},
		"ΕΛΛΆΣ":           nil, // a final sigma is another letter
		"ελλάς":           {{0, 0.2, 0.08, 0.05}},
		"something else":  nil,
		"…":               nil,
		"":                nil,
	} {
		got := locate(words, quote)
		if len(got) != len(want) {
			t.Errorf("%q is at %v, want %v", quote, got, want)
			continue
		}
		for i := range got {
			if math.Abs(got[i].Left-want[i].Left)+math.Abs(got[i].Top-want[i].Top)+math.Abs(got[i].Width-want[i].Width)+
				math.Abs(got[i].Height-want[i].Height) > 1e-9 {
				t.Errorf("%q is at %v, want %v", quote, got, want)
			}
		}
	}
}
