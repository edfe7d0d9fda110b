package rules_test

import (
	"slices"
	"testing"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/rules"
)

// TestNamesAreCandidatesAsTheyAreWritten checks that the whole name of a company is among the names that are weighed.
func TestNamesAreCandidatesAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	reader := rules.New(links.DefaultDeckClasses())
	for text, name := range map[string]string{
		"From: Ada Byrne <ada@anvilandoak.example>\n\nWe sell anvils by post.\n\nAda": "anvilandoak",
		"Moved Stagecoach 2 to the right-hand column.":                                "Stagecoach 2",
		"Boda+ rents motorbikes to riders in Kampala.":                                "Boda+",
		"A tick for W. & H. Figgis, please.":                                          "W. & H. Figgis",
		"かざぐるま電力は明日の会議で決めます。賛成は私と津田さん、早乙女さんは未定。":                                      "かざぐるま電力",
		"안녕하세요, 밤편지입니다. CEO와 CTO가 인사드립니다. 저희 회사는 IR 자료를 준비했습니다.":                      "밤편지",
	} {
		names, _ := reader.Observe(analysis.Input{Text: text}).Names(make([]float64, len(rank.KindNames())))
		if !slices.Contains(names, name) {
			t.Errorf("%q is no candidate of %q: %q", name, text, names)
		}
	}
}

// TestPeopleAreCandidatesBehindParticles: somebody is among the people of a text whatever is joined to their name.
func TestPeopleAreCandidatesBehindParticles(t *testing.T) {
	t.Parallel()
	reader := rules.New(links.DefaultDeckClasses())
	for text, name := range map[string]string{
		"안녕하세요 심사역님, 밤편지 CFO 유다온입니다. 계약서 5조 수정 요청 반영해 주셔서 감사합니다.": "유다온",
		"CFO 탁민경도 같은 의견입니다.":                            "탁민경",
		"Requested by F. Ashworth of Pennine Plastics.": "F. Ashworth",
	} {
		people, _ := reader.Observe(analysis.Input{Text: text}).People(make([]float64, len(rank.KindNames())),
			make([]float64, len(rank.MeaningNames())), "")
		if !slices.Contains(people, name) {
			t.Errorf("%q is none of the people of %q: %q", name, text, people)
		}
	}
}
