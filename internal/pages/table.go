package pages

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// tableSize is how many companies a page of the table has.
const tableSize = 50

// table is a list of companies with its filters.
type table struct {
	Rows    []card
	Stages  []pipeline.Status
	Sources []string
	Search  string
	Status  string
	Source  string
	Sort    string
	From    string // the first day on which what is listed was added, in UTC; "" for any
	To      string // the last
	Page    int
	Before  string // the page before; "" for none
	After   string // the page after
}

func (p *Pages) tablePage(w http.ResponseWriter, r *http.Request, s *scene) error {
	stages, _, err := p.deps.Pipelines.List(r.Context(), s.Who, s.account.ID, postgres.FirstPage(pipeline.Most))
	if err != nil {
		return err
	}
	query := r.URL.Query()
	model := table{
		Stages: stages, Sources: company.Sources(), Search: query.Get("search"), Status: query.Get("status"),
		Source: query.Get("source"),
		Sort:   query.Get("sort"), Page: 1,
	}
	if model.within(query) {
		return p.addedPage(w, r, s, model)
	}
	if page, err := strconv.Atoi(query.Get("page")); err == nil && page > 0 {
		model.Page = page
	}
	views, next, err := p.deps.Companies.List(r.Context(), s.Who, model.listQuery(s.account.ID))
	if err != nil {
		return err
	}
	model.Rows = cardsOf(s, views)
	if model.Page > 1 {
		model.Before = pageURL(r.URL, model.Page-1)
	}
	if next != nil {
		model.After = pageURL(r.URL, model.Page+1)
	}
	return p.show(w, http.StatusOK, "table", s.frame("Companies", "companies", model))
}

// within reads the days between which what is listed was added, and reports whether there are any.
func (t *table) within(query url.Values) bool {
	for name, into := range map[string]*string{"from": &t.From, "to": &t.To} {
		if _, err := time.Parse(time.DateOnly, query.Get(name)); err == nil {
			*into = query.Get(name)
		}
	}
	return t.From != "" || t.To != ""
}

// addedPage lists what was added between two days, the newest first. It begins behind the end of the last day, or
// behind the company at which the page before ended.
func (p *Pages) addedPage(w http.ResponseWriter, r *http.Request, s *scene, model table) error {
	model.Sort = company.SortCreated
	q := model.listQuery(s.account.ID)
	if last, err := time.Parse(time.DateOnly, model.To); err == nil {
		q.After = new(postgres.At(last.AddDate(0, 0, 1), uuid.Nil))
	}
	at, id, _ := strings.Cut(r.URL.Query().Get("behind"), "_")
	if moment, err := time.Parse(time.RFC3339Nano, at); err == nil {
		if before, err := uuid.Parse(id); err == nil {
			q.After = new(postgres.At(moment, before))
		}
	}
	views, next, err := p.deps.Companies.List(r.Context(), s.Who, q)
	if err != nil {
		return err
	}
	if first, err := time.Parse(time.DateOnly, model.From); err == nil {
		if early := slices.IndexFunc(views, func(v company.View) bool { return v.CreatedAt.Before(first) }); early >= 0 {
			views, next = views[:early], nil
		}
	}
	model.Rows = cardsOf(s, views)
	if next != nil {
		query := r.URL.Query()
		query.Set("behind", next.Values[0]+"_"+next.ID.String())
		model.After = r.URL.Path + "?" + query.Encode()
	}
	return p.show(w, http.StatusOK, "table", s.frame("Companies", "companies", model))
}

// listQuery returns the question that the filters ask. A value that none of them has filters nothing.
func (t *table) listQuery(accountID uuid.UUID) company.ListQuery {
	q := company.ListQuery{
		Page: postgres.Page{Number: t.Page, Limit: tableSize}, AccountID: &accountID, Sort: company.SortCreated,
		NoStatus: t.Status == noStatus,
	}
	if t.Search != "" {
		q.Search = &t.Search
	}
	if id, err := uuid.Parse(t.Status); err == nil {
		q.StatusID = &id
	}
	for _, source := range t.Sources {
		if source == t.Source {
			q.Source = source
		}
	}
	switch t.Sort {
	case company.SortName:
		q.Sort, q.Ascending = company.SortName, true
	case company.SortUpdated:
		q.Sort = company.SortUpdated
	}
	return q
}

func pageURL(at *url.URL, page int) string {
	query := at.Query()
	query.Set("page", strconv.Itoa(page))
	return at.Path + "?" + query.Encode()
}
