package pagetext_test

import (
	"strings"
	"testing"

	"dealflow/internal/pdftext/pagetext"
)

// Text that nobody would write is in doubt, and for the right reason.
func TestQualityNamesWhatIsNoText(t *testing.T) {
	t.Parallel()
	prose := strings.Repeat("we help small hotels fill their empty rooms ", 3)
	for name, tc := range map[string]struct {
		pages         []string
		doubt, refuse string // by Doubt and by Rubbish
	}{
		"prose":         {[]string{prose}, "", ""},
		"an empty page": {[]string{prose, " "}, "pages without text", ""},
		"few letters":   {[]string{"Page 1"}, "few letters", ""},
		"no letters":    {[]string{"1 2 3"}, "pages without text", "no letters"},
		"Hebrew":        {[]string{prose + strings.Repeat("שלום ", 5)}, "a script that needs ordering", ""},
		"control codes": {
			[]string{prose + "\x01\x02\x03\x04"}, "characters that no text has", "characters that no text has",
		},
		"joined words":    {[]string{prose + "weHelp,small hotelsFill"}, "joined words", "joined words"},
		"long words":      {[]string{prose + strings.Repeat("hotels", 5)}, "long words", "long words"},
		"single letters":  {[]string{strings.Repeat("w e h e l p ", 4)}, "single letters", "single letters"},
		"TeX's ligatures": {[]string{prose + "e\x1ecient of\x1bce"}, "", ""},
		"Chinese":         {[]string{strings.Repeat("我们帮助小酒店填满空房间", 3)}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var q pagetext.Quality
			for _, page := range tc.pages {
				q.Add(page)
			}
			if got := q.Doubt(); got != tc.doubt {
				t.Errorf("Doubt returned %q, want %q", got, tc.doubt)
			}
			if got := q.Rubbish(); got != tc.refuse {
				t.Errorf("Rubbish returned %q, want %q", got, tc.refuse)
			}
		})
	}
}
