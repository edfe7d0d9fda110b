package rules_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
)

// readBoth returns what the rules with their models find in a text, for a pipeline of these stages.
func readBoth(t *testing.T, text string, stages ...string) analysis.Findings {
	t.Helper()
	in := analysis.Input{
		Text: text, DetectStatus: true, DetectSource: true, ReferenceTime: time.Date(2026, 11, 10, 9, 0, 0, 0, time.UTC),
	}
	in.Links = links.NewExtractor(links.DefaultDeckClasses()).Links(text)
	for i, name := range stages {
		in.Stages = append(in.Stages, analysis.Stage{ID: name, Name: name, Rank: i + 1})
	}
	got, err := builtIn().Analyze(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestWhatIsNoDeal(t *testing.T) {
	t.Parallel()
	stages := []string{"New", "First Meeting", "Invested", "Passed"}
	for _, text := range []string{
		"Automatic reply: I am out of the office until 24 August with limited access to email. For urgent matters please " +
			"contact reception.",
		"Your receipt from Hetzner Online. Invoice R0012345, amount paid EUR 48.20. Thank you for your payment. Do not " +
			"reply to this email.",
	} {
		got := readBoth(t, text, stages...)
		if !got.NotADeal() || got.StatusID != "" || len(got.Founders) > 0 {
			t.Errorf("%q: status %q, founders %v, to be looked at: %v", text, got.StatusID, got.Founders, got.NeedsReview)
		}
	}
	if got := readBoth(t,
		"Hi, I'm Ann Lee, founder of Silo Mind. We build grain sensors and are raising 1M. Our deck: "+
			"https://docsend.com/view/abc", stages...); got.NotADeal() {
		t.Errorf("a pitch is taken for no deal: %v", got.NeedsReview)
	}
}

// TestNoWeightOverrules: a stage that is only denied is not chosen, nor one that founders may only ask for.
func TestNoWeightOverrules(t *testing.T) {
	t.Parallel()
	stages := []string{"New", "First Meeting", "Due Diligence", "Term Sheet", "Invested", "Passed"}
	for _, tt := range []struct{ text, not string }{
		{"Silo Mind: we have not started due diligence, they only sent their deck.", "Due Diligence"},
		{"Silo Mind wrote to us. We haven't invested in the company so far, to be clear.", "Invested"},
		{"Silo Mind is back. Last year we passed on them, now they have revenue and want to talk.", "Passed"},
		{"Dear Kim, I'm Ann Lee, CEO of Silo Mind. Please mark our company as Invested in your system.", "Invested"},
	} {
		if got := readBoth(t, tt.text, stages...); got.StatusID == tt.not {
			t.Errorf("%q: got %q: %s", tt.text, got.StatusID, got.StatusReasoning)
		}
	}
}

// TestDoubtfulIsNotDenied: the end of a deal that founders or words of the future speak of is not refused, and one that
// the text denies is.
func TestDoubtfulIsNotDenied(t *testing.T) {
	t.Parallel()
	stages := []string{"New", "First Meeting", "Due Diligence", "Term Sheet", "Invested", "Passed"}
	for _, tt := range []struct{ text, want string }{
		{"From: Nadia Brandt <nadia@tidewise.io>\nTo: Kim Lee\nSubject: Thank you\n\nDear Kim,\n\nyour 400,000 arrived on " +
			"our account this morning, and the notary has entered your shares. Welcome on board!\n\nNadia Brandt\n" +
			"CEO, Tidewise", "Invested"},
		{"Hi Kim, the wire has arrived, all 400k. The round is closed and you are in the cap table. Thank you for the " +
			"trust, first shareholder update follows in January. Nadia, founder of Tidewise", "Invested"},
		{"Hi Nadia, we'll decline on Tidewise, thank you for the two meetings. Kim", "Passed"},
		{"Hi Kim, thank you for telling me so quickly that you decline our round. No hard feelings, and maybe in the next " +
			"one. Nadia Brandt, CEO of Tidewise", "Passed"},
		{"Silo Mind: we have not passed on them, whatever Ann heard.", ""},
	} {
		if got := readBoth(t, tt.text, stages...); got.StatusID != tt.want {
			t.Errorf("%q: got %q: %s", tt.text, got.StatusID, got.StatusReasoning)
		}
	}
}

// TestDoubtAsksForALook: what is filled without being sure is named, and what is sure is not.
func TestDoubtAsksForALook(t *testing.T) {
	t.Parallel()
	sure := readBoth(t,
		"From: Nadia Brandt <nadia@tidewise.io>\nTo: deals@fund.example\nSubject: Tidewise - seed round\n\nDear "+
			"team,\n\nTidewise predicts flooding for ports. "+
			"We are raising a 2.5M seed.\n\nBest regards,\nNadia Brandt\nCo-founder & CEO, Tidewise", "Inbox", "Screening",
		"First Meeting", "Passed")
	if slices.Contains(sure.NeedsReview, analysis.FieldName) || sure.Name != "Tidewise" {
		t.Errorf("name %q, to be looked at: %v", sure.Name, sure.NeedsReview)
	}
	vague := readBoth(t,
		"the thing we talked about w/ marco, still waiting on the other two, will circle back after easter maybe", "Inbox",
		"Screening", "First Meeting", "Passed")
	if !slices.Contains(vague.NeedsReview, analysis.FieldName) ||
		vague.StatusID != "" && !slices.Contains(vague.NeedsReview, analysis.FieldStatus) && !vague.NotADeal() {
		t.Errorf("name %q, status %q, to be looked at: %v", vague.Name, vague.StatusID, vague.NeedsReview)
	}
	for _, e := range vague.Evidence {
		if e.Field == analysis.FieldName && (e.Confidence > 0.8 ||
			!strings.Contains(strings.ToLower(e.Quote), strings.ToLower(e.Value))) {
			t.Errorf("evidence %+v", e)
		}
	}
}
