package analyst

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/findings"
	"dealflow/internal/timestamp"
)

// verdict is the result of an analysis, with all that is to be written to the company.
type verdict struct {
	input    aicreation.AnalysisInput
	name     string
	statusID *uuid.UUID
	source   string
	deckFile uuid.UUID // the deck among several PDFs; uuid.Nil if the deck was known before
	extra    extracted
	analysis findings.Analysis

	asked   struct{ status, source bool }
	written []string // metadata members that merge wrote
	cues    analysis.Cues

	readAgain bool     // some files could not be read for a temporary reason, and the analysis is to be repeated
	unreadNow []string // a sentence for each of these files
}

// extracted are the metadata members that an analysis writes: see merge for when it leaves one as it is.
type extracted struct {
	Founders   []analysis.Founder `json:"founders"`
	AIAnalysis string             `json:"ai_analysis"`
	AnalyzedAt string             `json:"analyzed_at"`
}

// conclude returns the verdict for what the analyzer found (f) in its input (in). readings are those of the PDFs of the
// company, and now is the time of the analysis.
func conclude(t target, readings []reading, in analysis.Input, f analysis.Findings, now time.Time) verdict {
	v := verdict{input: t.input, name: f.Name, extra: extracted{
		Founders: f.Founders, AIAnalysis: f.Summary,
		AnalyzedAt: timestamp.Format(now),
	}}
	if v.extra.Founders == nil {
		v.extra.Founders = []analysis.Founder{}
	}
	v.analysis = findings.Analysis{DetectedURLs: t.input.Links, SelectedDeckURL: t.input.DeckURL, ProcessedAt: &now}
	if v.analysis.DetectedURLs == nil {
		v.analysis.DetectedURLs = []string{}
	}
	v.asked.status, v.asked.source, v.cues = in.DetectStatus, in.DetectSource, f.Cues
	v.status(in, f)
	v.sourceOf(in, f)
	v.deck(t, readings, f)
	v.evidence(readings, f)
	return v
}

func (v *verdict) status(in analysis.Input, f analysis.Findings) {
	switch id, err := uuid.Parse(f.StatusID); {
	case v.input.StatusGiven:
		v.analysis.StatusReasoning = "The status was given."
	case !in.DetectStatus:
		v.analysis.StatusReasoning = tooShort
	default:
		v.analysis.StatusReasoning = f.StatusReasoning
		if err == nil {
			v.statusID, v.analysis.StatusDetected = &id, true
		}
	}
}

func (v *verdict) sourceOf(in analysis.Input, f analysis.Findings) {
	switch {
	case v.input.SourceGiven:
		v.analysis.SourceReasoning = "The source was given."
	case !in.DetectSource:
		v.analysis.SourceReasoning = tooShort
	default:
		v.analysis.SourceReasoning = f.SourceReasoning
		if slices.Contains(company.Sources(), f.Source) {
			v.source, v.analysis.SourceDetected = f.Source, true
		}
	}
}

const tooShort = "The text has at most 50 characters, which is too few to detect anything."

// deck sets the deck if several PDFs are undecided: the one that the analyzer picked, or else the first. It also sets
// the reasoning: why this deck and deck link were chosen, which files could not be read, and who analyzed.
func (v *verdict) deck(t target, readings []reading, f analysis.Findings) {
	reasons := []string{v.input.DeckReason}
	if v.input.SeveralPDFs && len(readings) > 0 { // the PDFs may have been deleted since
		picked, reason := pickDeck(readings, f)
		v.deckFile = picked
		reasons = append(reasons, reason)
	} else if len(t.files) == 1 && t.files[0].Role == company.RoleDeck {
		reasons = append(reasons, "The only file is the deck.")
	}
	for _, r := range readings {
		if r.text.Error != "" {
			reasons = append(reasons, v.unread(t, r))
		}
	}
	reasons = append(reasons, f.Remarks...)
	v.analysis.AIReasoning = joinSentences(append(reasons, "Analyzed by "+f.Analyzer+".")...)
}

func pickDeck(readings []reading, f analysis.Findings) (uuid.UUID, string) {
	for _, r := range readings {
		if r.file.ID.String() == f.DeckDocumentID {
			return r.file.ID, f.DeckReasoning
		}
	}
	first := readings[0].file
	return first.ID, joinSentences(f.DeckReasoning, first.Title+" is taken as the deck because it is the first PDF.")
}

func joinSentences(parts ...string) string {
	var kept []string
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, " ")
}
