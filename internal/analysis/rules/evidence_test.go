package rules_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"dealflow/internal/analysis"
)

// untrue returns what is wrong with a quote, "" if it is where it says.
func untrue(in analysis.Input, e analysis.Evidence) string {
	switch runes := []rune(in.Text); {
	case e.Quote == "":
		return "it quotes nothing"
	case e.Page > 0:
		for _, d := range in.Documents {
			if d.ID == e.DocumentID && e.Page <= len(d.Pages) && strings.Contains(d.Pages[e.Page-1], e.Quote) {
				return ""
			}
		}
		return "the page does not say so"
	case e.Start < 0 || e.End > len(runes) || e.Start >= e.End:
		return "the span is none of the text"
	case string(runes[e.Start:e.End]) != e.Quote:
		return "the span says " + string(runes[e.Start:e.End])
	}
	return ""
}

// TestEvidenceIsTrue: whatever the text looks like, a quote is what is there, and each value has its evidence.
func TestEvidenceIsTrue(t *testing.T) {
	t.Parallel()
	rules := builtIn()
	quoted, all := 0, 0
	for id, in := range labelledInputs(t) {
		got, err := rules.Analyze(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		fields := map[string]int{}
		for _, e := range got.Evidence {
			fields[e.Field]++
			all++
			if problem := untrue(in, e); problem == "" {
				quoted++
			} else if e.Quote != "" {
				t.Errorf("%s: %s %q quotes %q: %s", id, e.Field, e.Value, e.Quote, problem)
			} else {
				t.Logf("%s: %s %q quotes nothing", id, e.Field, e.Value)
			}
			if e.Confidence <= 0 || e.Confidence > 1 || e.Value == "" || e.Analyzer != "rules" ||
				utf8.RuneCountInString(e.Quote) > 2000 {
				t.Errorf("%s: evidence %+v", id, e)
			}
		}
		checkShown(t, id, got, fields)
	}
	if share := float64(quoted) / float64(all); share < 0.99 {
		t.Errorf("%.3f of the evidence quotes what stands there", share)
	}
}

// checkShown fails the test unless each field that is filled has evidence, and no other has. fields are the numbers of
// pieces of evidence by field.
func checkShown(t *testing.T, id string, got analysis.Findings, fields map[string]int) {
	t.Helper()
	for field, value := range map[string]string{
		analysis.FieldName: strings.TrimPrefix(got.Name, "Untitled company"), analysis.FieldSummary: got.Summary,
		analysis.FieldStatus: got.StatusID, analysis.FieldSource: got.Source,
	} {
		if (fields[field] > 0) != (value != "") {
			t.Errorf("%s: %s is %q with %d evidence", id, field, value, fields[field])
		}
	}
	if fields[analysis.FieldFounders] != len(got.Founders) {
		t.Errorf("%s: %d founders with %d evidence", id, len(got.Founders), fields[analysis.FieldFounders])
	}
	if got.Name == "Untitled company" && !slices.Contains(got.NeedsReview, analysis.FieldName) {
		t.Errorf("%s: nobody is asked for the name", id)
	}
}
