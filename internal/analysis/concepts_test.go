package analysis

import (
	"slices"
	"strings"
	"testing"
)

// TestConceptsStandOnce: a phrase that stood twice would count twice, or mean two things.
func TestConceptsStandOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, l := range loadLines("concepts.lst") {
		for text := range strings.SplitSeq(l.text, ", ") {
			key := strings.Join(phraseWords(text), " ")
			if key == "" || key == stem {
				t.Errorf("[%s] holds %q, which has no word", l.sections, text)
			}
			if first, twice := seen[key]; twice {
				t.Errorf("%q stands in [%s] and in [%s]", text, first, l.sections)
			}
			seen[key] = l.sections
		}
	}
}

func TestConceptsInManyLanguages(t *testing.T) {
	t.Parallel()
	r := NewRules(DefaultDeckClasses())
	for text, want := range map[string]string{
		"Leider müssen wir absagen, das passt nicht": "lost", "아쉽지만 이번에는 거절합니다": "lost", "今回は見送りとさせていただきます": "lost",
		"للأسف لا يناسب الصندوق": "lost", "לצערנו לא נמשיך": "lost", "很遗憾,我们决定放弃": "lost",
		"Votre facture est disponible": "invoice", "Таня в отпуске": "absence", "데이터룸을 열어주셨습니다": "diligence",
	} {
		rd := r.read(text)
		if !slices.ContainsFunc(rd.conceptHits, func(h hit) bool { return h.section == want }) {
			t.Errorf("%q does not speak of %s: %v", text, want, rd.conceptHits)
		}
	}
}
