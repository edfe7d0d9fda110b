package text_test

import (
	"slices"
	"testing"

	"dealflow/internal/analysis/text"
)

func TestDaysEndNoSentence(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		"Wir sind am 5. November in Berlin. Kommt vorbei.": {"Wir sind am 5. November in Berlin.", "Kommt vorbei."},
		"Wir sind am 5. November\nin Berlin.":              {"Wir sind am 5. November\nin Berlin."},
		"Die Runde endet am 12. März, bitte eilt.":         {"Die Runde endet am 12. März, bitte eilt."},
		"Vi er der den 5. marts. Kom forbi.":               {"Vi er der den 5. marts.", "Kom forbi."},
		"Our team has grown to 12. Nova is the product.":   {"Our team has grown to 12.", "Nova is the product."},
	} {
		var got []string
		for _, s := range text.SentencesIn(body, text.Span{End: len(body)}) {
			got = append(got, body[s.Start:s.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q has the sentences %q, want %q", body, got, want)
		}
	}
}
