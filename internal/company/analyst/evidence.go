package analyst

import (
	"cmp"
	"slices"

	"dealflow/internal/analysis"
	"dealflow/internal/company/findings"
)

// evidence adds to the analysis the evidence of the findings and the fields to review, except those of a name that the
// client gave. To the fields to review it appends a sentence for each file that could not be read for a temporary
// reason. It names files by their titles, since clients never see the ID of a deck.
func (v *verdict) evidence(readings []reading, f analysis.Findings) {
	v.analysis.Evidence, v.analysis.NeedsReview = []findings.Evidence{}, []string{}
	names := map[string]string{}
	for _, r := range readings {
		names[r.file.ID.String()] = r.file.Title
	}
	for _, e := range f.Evidence {
		if e.Field == analysis.FieldName && v.input.NameGiven {
			continue
		}
		v.analysis.Evidence = append(v.analysis.Evidence, findings.Evidence{
			Field: e.Field, Value: cmp.Or(names[e.Value], e.Value), Confidence: e.Confidence, Quote: e.Quote, Start: e.Start,
			End:  e.End,
			File: names[e.DocumentID], Page: e.Page, Analyzer: e.Analyzer,
		})
	}
	for _, field := range f.NeedsReview {
		given := field == analysis.FieldName && v.input.NameGiven
		if !given && !slices.Contains(v.analysis.NeedsReview, field) {
			v.analysis.NeedsReview = append(v.analysis.NeedsReview, field)
		}
	}
	v.analysis.NeedsReview = append(v.analysis.NeedsReview, v.unreadNow...)
}
