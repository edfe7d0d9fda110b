package company

import (
	"cmp"
	"slices"

	"dealflow/internal/analysis"
)

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

// evidence shows what the findings rest on, but for a name that was given. Files go by their names, since the ID of a
// deck is shown nowhere.
func (v *verdict) evidence(readings []reading, f analysis.Findings) {
	v.analysis.Evidence, v.analysis.NeedsReview = []Evidence{}, []string{}
	names := map[string]string{}
	for _, r := range readings {
		names[r.file.ID.String()] = r.file.Title
	}
	for _, e := range f.Evidence {
		if e.Field == analysis.FieldName && v.order.NameGiven {
			continue
		}
		v.analysis.Evidence = append(v.analysis.Evidence, Evidence{
			Field: e.Field, Value: cmp.Or(names[e.Value], e.Value), Confidence: e.Confidence, Quote: e.Quote, Start: e.Start, End: e.End,
			File: names[e.DocumentID], Page: e.Page, Analyzer: e.Analyzer,
		})
	}
	for _, field := range f.NeedsReview {
		given := field == analysis.FieldName && v.order.NameGiven
		if !given && !slices.Contains(v.analysis.NeedsReview, field) {
			v.analysis.NeedsReview = append(v.analysis.NeedsReview, field)
		}
	}
	v.analysis.NeedsReview = append(v.analysis.NeedsReview, v.unreadNow...)
}
