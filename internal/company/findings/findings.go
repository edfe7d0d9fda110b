// Package findings keeps what analyses found of companies: the evidence of each value, the fields still to be
// reviewed, and what people corrected.
package findings

import "time"

// Analysis is the result of an analysis, which AI creation returns in addition to the company. It is stored as JSON in
// the work row and in the Detection of the company.
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
	// the names of fields whose value was too unsure to fill in, or is only a substitute, and after them a sentence for
	// each file that could not be read for a temporary reason
	NeedsReview []string `json:"needs_review"`
}

// Evidence is what supports one value of an analysis. If File is "", Quote is in the company's text as it was sent:
// from the character Start up to, not including, the character End. Otherwise Quote is on the page Page of the file,
// counted from 1. Value is a founder's name (or, without a name, their address), the ID of a status, the name of a
// file, or a link. Confidence is from 0 to 1.
type Evidence struct {
	Field      string  `json:"field"`
	Value      string  `json:"value"`
	Confidence float64 `json:"confidence"`
	Quote      string  `json:"quote"`
	Start      int     `json:"start"`
	End        int     `json:"end"`
	File       string  `json:"file"` // its name; "": the quote is in the text
	Page       int     `json:"page"`
	Analyzer   string  `json:"analyzer"`
}
