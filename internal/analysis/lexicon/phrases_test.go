package lexicon

import (
	"strings"
	"testing"
)

func TestAPhraseThatEndsInAGapIsRefused(t *testing.T) {
	t.Parallel()
	for line, refused := range map[string]bool{
		"we raise * round": false, "we raise *": true, "*": true, "raise~ *": true,
	} {
		said := func() (said any) {
			defer func() { said = recover() }()
			x := newPhrases()
			x.add("money", line)
			x.Find(Tokenize("we raise a big round"))
			return nil
		}()
		text, _ := said.(string)
		if refused != strings.Contains(text, "ends in *") || !refused && said != nil {
			t.Errorf("%q: %v", line, said)
		}
	}
}
