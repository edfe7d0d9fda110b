package pages

import (
	"net/http"
	"net/url"
	"strconv"
)

// reviewSize is how many companies a page of the queue has.
const reviewSize = 20

// queue is what is to be reviewed.
type queue struct {
	Deals  []reviewed
	Before string // the page before; "" for none
	After  string
}

// reviewed is a company with what of it is to be reviewed.
type reviewed struct {
	card

	Since    string
	Findings []finding
	Text     string // how it begins
}

// longestQuote is how much of a company's text the queue shows, in characters.
const longestQuote = 400

func (p *Pages) reviewPage(w http.ResponseWriter, r *http.Request, s *scene) error {
	page := 1
	if given, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil && given > 0 && given < 1e6 {
		page = given
	}
	found, more, err := p.deps.Companies.Reviews(r.Context(), s.Who, s.account.ID, page, reviewSize)
	if err != nil {
		return err
	}
	stages, err := p.stages(r.Context(), s)
	if err != nil {
		return err
	}
	var model queue
	for _, one := range found {
		f := fieldsOf(s, one.View, stages)
		f.Back = "review"
		model.Deals = append(model.Deals, reviewed{
			card: f.card, Since: day(one.Since), Findings: openOnly(f.findings(one.Analysis)),
			Text: excerpt(text(one.SourceContent), longestQuote),
		})
	}
	if page > 1 {
		model.Before = pageURL(r.URL, page-1)
	}
	if more {
		model.After = pageURL(r.URL, page+1)
	}
	return p.show(w, http.StatusOK, "review", s.frame("Review", "review", model))
}

func openOnly(all []finding) []finding {
	var open []finding
	for _, one := range all {
		if one.Open {
			if one.Link != "" {
				one.Link = one.URL + one.Link // the quotes are on the page of the company
			}
			open = append(open, one)
		}
	}
	return open
}

func pageURL(at *url.URL, page int) string {
	query := at.Query()
	query.Set("page", strconv.Itoa(page))
	return at.Path + "?" + query.Encode()
}
