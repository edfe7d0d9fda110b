package rules_test

import (
	"slices"
	"testing"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rank"
	"dealflow/internal/analysis/rules"
)

// The ranking can only choose what is a candidate.
func TestCandidatesHoldNamesOfAllShapes(t *testing.T) {
	t.Parallel()
	for want, content := range map[string]string{
		"auxmoney":      "Met the auxmoney team today, Yuki was sharp and they want two million.",
		"Forward":       "I'm an advisor to Forward and a small shareholder, so I am biased.",
		"loop":          "Last week's calls: the offer for loop was read out to Wei by phone.",
		"minus one":     "This is Federico from minus one, the ice company.",
		"Ben & Jerry's": "At Ben & Jerry's we have spent two years on better chunks.",
		"Dr. Squatch":   "That is what we are making happen at Dr. Squatch.",
		"Kahoot!":       "The founder of Kahoot! asked me for an introduction.",
		"tado°":         "Please see the teaser of our client tado°. The company is growing.",
		"wow!labs":      "You should look at wow!labs. They build robots.",
		"Oxbow 7":       "We could do the whole round, so Oxbow 7 will not need you.",
		"まちの縁側":         "はじめまして。「まちの縁側」の資金調達をご相談したくご連絡しました。",
		"つくも建機":         "明後日の役員会でつくも建機の採否が決まります。",
		"달빛키친":          "Hello Nils, RE: Seed Round, Ann Lee. 달빛키친에는 오늘 전화로 말씀드렸습니다.",
		"Kite & Anchor": "From: Soraya Haddad, founder, Kite & Anchor\nTo: Ilan\nSubject: today\n\n" +
			"thanks for having us again",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			names, _ := rulesAlone().Observe(analysis.Input{Text: content}).Names(make([]float64, len(rank.KindNames())))
			if !slices.Contains(names, want) {
				t.Errorf("%q is not among %q", want, names)
			}
		})
	}
}

// An ordinary word is a candidate behind words that lead to a name, not behind words that follow one.
func TestWordsBehindANameLeadToNoOther(t *testing.T) {
	t.Parallel()
	names, _ := rulesAlone().Observe(analysis.Input{Text: "Met a baker today. Crumb sells water."}).
		Names(make([]float64, len(rank.KindNames())))
	if slices.Contains(names, "water") {
		t.Errorf("water is among %q", names)
	}
}

// What only a domain spells is written as the text writes it.
func TestNamesAreSpelledAsInTheText(t *testing.T) {
	t.Parallel()
	all := rules.New(links.DefaultDeckClasses())
	for want, content := range map[string]string{
		"heycar": "---------- Forwarded message ----------\nFrom: Elif Nowak <elif@heycar.com>\nSubject: Intro deck\n\n" +
			"Hi Tom,\n\ngreat talking yesterday. As discussed, here's the deck of heycar.\n\nBest,\nElif",
		"Silo Mind": "From: Ann Lee <ann@silomind.io>\nSubject: Silo Mind\n\nplease see our deck, thanks",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			got, err := all.Analyze(t.Context(), analysis.Input{Text: content})
			if err != nil || got.Name != want {
				t.Errorf("got %q, %v, want %q", got.Name, err, want)
			}
		})
	}
}

// What the text joins to a name is not part of it.
func TestNamesAreBare(t *testing.T) {
	t.Parallel()
	for want, content := range map[string]string{
		"까치뮤직":    "까치뮤직은 오늘 아침에 첫 미팅을 했습니다. 다음 주에 실사를 시작합니다.",
		"Moonjar": "Moonjar's Hannah Lindqvist sent the signed term sheet this morning.",
	} {
		got, err := builtIn().Analyze(t.Context(), analysis.Input{Text: content})
		if err != nil || got.Name != want {
			t.Errorf("%q: got %q, %v, want %q", content, got.Name, err, want)
		}
	}
}
