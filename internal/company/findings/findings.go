// Package findings has what analyses found of companies, as it is kept: what a value rests on, what is still to be
// reviewed, and what people corrected.
package findings

import "time"

// Analysis is what AI creation answers beside the company. Its JSON form is how it is kept in the work row.
type Analysis struct {
	DetectedURLs    []string   `json:"detected_urls"`
	SelectedDeckURL string     `json:"selected_deck_url"`
	AIReasoning     string     `json:"ai_reasoning"`
	StatusDetected  bool       `json:"status_detected"`
	StatusReasoning string     `json:"status_reasoning"`
	SourceDetected  bool       `json:"source_detected"`
	SourceReasoning string     `json:"source_reasoning"`
	ProcessedAt     *time.Time `json:"processed_at"` // nil while the analysis goes on
	Evidence        []Evidence `json:"evidence"`
	// fields that were too unsure to fill, or hold only a substitute for a value
	NeedsReview []string `json:"needs_review"`
}

// Evidence is what one value of an analysis rests on, as it is shown: Quote is in the text as sent from the character
// Start up to, not including, End, or on Page, from 1, of File. Value is a founder's name (else address), a stage's
// ID, a file's name or a link.
type Evidence struct {
	Field      string  `json:"field"`
	Value      string  `json:"value"`
	Confidence float64 `json:"confidence"`
	Quote      string  `json:"quote"`
	Start      int     `json:"start"`
	End        int     `json:"end"`
	File       string  `json:"file"` // "": the text
	Page       int     `json:"page"`
	Analyzer   string  `json:"analyzer"`
}
