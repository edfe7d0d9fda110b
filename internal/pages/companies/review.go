package companies

import (
	"net/http"

	"dealflow/internal/pages/frame"
	"dealflow/internal/pages/render"
)

// reviewSize is how many companies a page of the queue has.
const reviewSize = 20

// queue has the data of the page of companies that are to be reviewed.
type queue struct {
	frame.Pager

	Deals []reviewed
}

// reviewed is a company with those of its findings that are to be reviewed. Since is the day on which it was analyzed.
type reviewed struct {
	Card

	Since    string
	Findings []finding
	Text     string // the beginning of the company's text
}

// longestQuote is how many characters of a company's text the queue shows.
const longestQuote = 400

func (p *pages) reviewPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	page, pager := frame.PageOf(r, reviewSize)
	found, more, err := p.deps.Companies.Reviews(r.Context(), s.Who, s.Account.ID, page.Number, reviewSize)
	if err != nil {
		return err
	}
	stages, err := p.stages(r.Context(), s)
	if err != nil {
		return err
	}
	pager.End(r, more)
	model := queue{Pager: pager}
	for _, one := range found {
		f := fieldsOf(s, one.View, stages)
		f.Back = "review"
		model.Deals = append(model.Deals, reviewed{
			Card: f.Card, Since: render.Day(one.Since), Findings: openOnly(f.findings(one.Analysis)),
			Text: render.Excerpt(render.Text(one.SourceContent), longestQuote),
		})
	}
	return p.frame.Show(w, http.StatusOK, "review", s.Page("Review", "review", model))
}

func openOnly(all []finding) []finding {
	var open []finding
	for _, one := range all {
		if one.Open {
			if one.Link != "" {
				one.Link = one.URL + one.Link // the link is to a quote on the page of the company
			}
			open = append(open, one)
		}
	}
	return open
}
