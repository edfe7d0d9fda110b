package pdftext_test

import (
	"strings"
	"testing"

	"dealflow/internal/pdftext"
)

// What the end of a line of a PDF divides is one word again; pagetext tests when.
func TestDividedWordsAreJoined(t *testing.T) {
	t.Parallel()
	p := newPool(t, pdftext.Options{})
	for name, tc := range map[string]struct {
		lines []string
		want  string
	}{
		"the document divides words": {
			[]string{"our pre-", "diction of a prediction for com-", "panies"}, "our prediction of a prediction for companies",
		},
		"nothing shows it":         {[]string{"we raise a pre-", "seed round"}, "we raise a pre-seed round"},
		"a hyphen of another font": {[]string{"our pre\u2010", "diction of a prediction"}, "our prediction of a prediction"},
		"a soft hyphen":            {[]string{"our pre\u00ad", "diction"}, "our prediction"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := mustRead(t, p, unicodePage(append([]string{filler}, tc.lines...)...))
			if text := strings.Join(doc.Pages, "\n"); text != filler+"\n"+tc.want {
				t.Errorf("%s read %q, want %q behind the first line", doc.Reader, text, tc.want)
			}
		})
	}
}
