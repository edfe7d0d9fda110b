package model_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
)

// builtIn returns the rules with the built-in words, classes and weights.
var builtIn = sync.OnceValue(func() *rules.Rules { return rules.New(links.DefaultDeckClasses()) })

func today() time.Time { return time.Date(2026, 11, 10, 9, 0, 0, 0, time.UTC) }

// analysed returns what the rules find.
func analysed(t *testing.T, in analysis.Input) analysis.Findings {
	t.Helper()
	got, err := builtIn().Analyze(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func lessonOf(field, found, chosen string, cues analysis.Cues, daysAgo int) analysis.Lesson {
	return analysis.Lesson{Field: field, Detected: found, Chosen: chosen, Cues: cues, At: today().AddDate(0, 0, -daysAgo)}
}

func ownStages() []analysis.Stage {
	return []analysis.Stage{
		{ID: "neu", Name: "Neu", Rank: 1},
		{ID: "radar", Name: "Radar", Rank: 2},
		{ID: "kueche", Name: "Küche", Rank: 3},
		{ID: "werkbank", Name: "Werkbank", Rank: 4},
		{ID: "passed", Name: "Passed", Rank: 5},
	}
}

func firstContact() analysis.Input {
	return analysis.Input{
		Text: "From: Ann Lee <ann@acme.io>\nTo: deals@fund.example\nSubject: Acme\n\nHi,\n\nI am Ann, founder of Acme. " +
			"We build cranes for small ports and raise a seed round.\n\nBest, Ann",
		Stages: ownStages(), DetectStatus: true, DetectSource: true, ReferenceTime: today(),
	}
}

func names(f analysis.Findings) string {
	var all []string
	for _, p := range f.Founders {
		all = append(all, p.Name+" <"+p.Email+">")
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
