package lexicon

import (
	"slices"
	"strings"
	"testing"
)

// TestConceptsStandOnce: a phrase that is there twice would count twice, or mean two things.
func TestConceptsStandOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, l := range Lines("concepts.lst") {
		for text := range strings.SplitSeq(l.Text, ", ") {
			key := strings.Join(phraseWords(text), " ")
			if key == "" || key == Stem {
				t.Errorf("[%s] holds %q, which has no word", l.Sections, text)
			}
			if first, twice := seen[key]; twice {
				t.Errorf("%q stands in [%s] and in [%s]", text, first, l.Sections)
			}
			seen[key] = l.Sections
		}
	}
}

func TestConceptsInManyLanguages(t *testing.T) {
	t.Parallel()
	words := Load()
	for text, want := range map[string]string{
		"Leider müssen wir absagen, das passt nicht": "lost", "아쉽지만 이번에는 거절합니다": "lost", "今回は見送りとさせていただきます": "lost",
		"للأسف لا يناسب الصندوق": "lost", "לצערנו לא נמשיך": "lost", "很遗憾,我们决定放弃": "lost",
		"Votre facture est disponible": "invoice", "Таня в отпуске": "absence", "데이터룸을 열어주셨습니다": "diligence",
		"진행하지 않았습니다": "negation", "아직 못했습니다": "negation", "지난주에 뵀습니다": "met",
	} {
		hits := words.Concepts.Find(Tokenize(text))
		if !slices.ContainsFunc(hits, func(h Hit) bool { return h.Section == want }) {
			t.Errorf("%q does not speak of %s: %v", text, want, hits)
		}
	}
}
