package companies

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"dealflow/internal/analysis"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/findings"
	"dealflow/internal/fault"
	"dealflow/internal/pages/frame"
	"dealflow/internal/postgres"
)

// finding is a value that an analysis found for a field, as pages show it.
type finding struct {
	fields

	N       int
	Field   string // its name in package analysis; "" for a sentence that is about no field
	Label   string
	Value   string
	Quote   string
	Where   string // "page 3 of deck.pdf"; "" for the text
	File    string // the title of the file that is quoted; "" for the text
	Page    int    // of the file
	Link    string // to the quote on the page; "" if nothing is quoted
	Percent int    // confidence
	Open    bool   // nobody has confirmed or corrected it
	Looked  string // its text in needs_review, which a form sends to confirm it
}

// findings returns a finding for each piece of evidence, and one for each entry of needs_review that has no evidence.
// Those to be reviewed come first.
func (f fields) findings(kept findings.Analysis) []finding {
	var all []finding
	seen := map[string]bool{}
	for i, e := range kept.Evidence {
		one := finding{
			fields: f, N: i, Field: e.Field, Label: labelOf(e.Field), Value: f.display(e), Quote: e.Quote,
			Percent: int(e.Confidence*100 + 0.5),
			Open:    slices.Contains(kept.NeedsReview, e.Field), Looked: e.Field,
		}
		switch {
		case e.File != "" && e.Page > 0:
			one.File, one.Page = e.File, e.Page
			one.Where, one.Link = fmt.Sprintf("page %d of %s", e.Page, e.File), fmt.Sprintf("#slide-%d", e.Page)
		case e.Quote != "" && e.End > e.Start:
			one.Link = fmt.Sprintf("#quote-%d", i)
		}
		seen[e.Field] = true
		all = append(all, one)
	}
	for _, open := range kept.NeedsReview {
		if seen[open] {
			continue
		}
		one := finding{fields: f, N: len(all), Field: open, Label: labelOf(open), Open: true, Looked: open}
		if one.Label == "" {
			one.Field, one.Label, one.Value = "", "Files", open
		}
		if open == analysis.NotADeal {
			one.Label = "Text"
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b finding) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

func rank(f finding) int {
	if f.Open {
		return 0
	}
	return 1
}

// labelOf returns the label of a field on pages; "" for a name that is not a field.
func labelOf(field string) string {
	return map[string]string{
		analysis.FieldName: "Name", analysis.FieldFounders: "Founder", analysis.FieldSummary: "Summary",
		analysis.FieldStatus: "Status",
		analysis.FieldSource: "Source", analysis.FieldDeck: "Deck",
	}[field]
}

// display returns the value of a finding as text: for a status its name, or "" if it does not exist any more, and for a
// summary without a value the summary of the company.
func (f fields) display(e findings.Evidence) string {
	switch e.Field {
	case analysis.FieldStatus:
		for _, stage := range f.Stages {
			if stage.ID.String() == e.Value {
				return stage.Name
			}
		}
		return ""
	case analysis.FieldSummary:
		return cmp.Or(e.Value, f.Summary)
	}
	return e.Value
}

// stretch is a part of a text, which is cut at the beginning and end of each quote. A quote covers all of a stretch or
// nothing of it.
type stretch struct {
	Text   string
	Quoted bool
	Begins []int // numbers (N) of the findings whose quote begins here
	Hidden int   // how many characters behind it are left out
}

// mark cuts a text into stretches at the beginning and end of each quote; the offsets of quotes count characters. The
// stretches make up the whole text; an empty text has none. mark ignores quotes of files, and quotes that are empty or
// not within the text.
func mark(text string, evidence []findings.Evidence) []stretch {
	runes := []rune(text)
	cuts := []int{0, len(runes)}
	var quotes []int
	for i, e := range evidence {
		if e.File == "" && e.Start >= 0 && e.Start < e.End && e.End <= len(runes) {
			quotes, cuts = append(quotes, i), append(cuts, e.Start, e.End)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var parts []stretch
	for n := range len(cuts) - 1 {
		part := stretch{Text: string(runes[cuts[n]:cuts[n+1]])}
		for _, i := range quotes {
			part.Quoted = part.Quoted || evidence[i].Start <= cuts[n] && cuts[n] < evidence[i].End
			if evidence[i].Start == cuts[n] {
				part.Begins = append(part.Begins, i)
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// How many characters of a long stretch without a quote a page shows at first, at its beginning and at its end.
const (
	shownBefore = 20_000
	shownAfter  = 2_000
)

// shortened returns stretches of which the middle of each long one without a quote is left out.
func shortened(all []stretch) []stretch {
	var short []stretch
	for _, one := range all {
		runes := []rune(one.Text)
		hidden := len(runes) - shownBefore - shownAfter
		if one.Quoted || hidden <= 0 {
			short = append(short, one)
			continue
		}
		short = append(short, stretch{Text: string(runes[:shownBefore]), Hidden: hidden},
			stretch{Text: string(runes[len(runes)-shownAfter:])})
	}
	return short
}

// analyzeAgain starts another analysis, unless one waits or runs, and redirects back without waiting for its result.
// The errors are those of sent and aicreation.Service.Again, except Conflict.
func (p *pages) analyzeAgain(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, form, err := p.sent(w, r, s)
	if err != nil {
		return err
	}
	again := aicreation.Draft{CompanyID: view.ID, WorkID: postgres.NewID()}
	// Conflict: an analysis runs already, whose result is as good
	if err := p.deps.Creations.Again(r.Context(), s.Caller.UserID, again); err != nil &&
		!fault.Is(err, fault.Conflict) {
		return err
	}
	return back(w, r, s, view.ID, form)
}

// confirmFindings removes from needs_review of the company the entries that the form has under "reviewed", and
// redirects back. It ignores names of other fields. The errors are those of sent and company.Service.Confirm.
func (p *pages) confirmFindings(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, form, err := p.sent(w, r, s)
	if err != nil {
		return err
	}
	if err := p.deps.Companies.Confirm(r.Context(), s.Caller.UserID, view.ID, form["reviewed"]); err != nil {
		return err
	}
	return back(w, r, s, view.ID, form)
}
