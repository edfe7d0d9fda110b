package pages

import (
	"context"
	"net/http"
	"net/url"

	"dealflow/internal/company"
	"dealflow/internal/dashboard"
)

// How many cards of a column come with the page, more than a window shows, and how many when they are scrolled to.
const (
	firstCards = 10
	nextCards  = 30
)

// board is a pipeline with its companies, a column for each stage.
type board struct {
	filters

	First   *draftPage // where the account has no company yet
	Views   viewBar
	Sources []string
	Orders  []order
	Columns []column
	Total   int // companies in all columns, where that is known and not none
}

// column is a stage with the first of its companies.
type column struct {
	columnCards

	ID    string // of the stage; noStatus for the companies without one
	Name  string
	Color string
	Count int // of its companies that the filters leave; dashboard.Uncounted where they are too many
}

// columnCards are some cards of a column.
type columnCards struct {
	Cards []card
	More  string // where the rest is, in the table; "" where there is none
	Next  string // where the next cards are, by themselves
}

// home leads to the board of the account that was joined first.
func (p *Pages) home(w http.ResponseWriter, r *http.Request, s *scene) error {
	if len(s.accounts) == 0 {
		return p.show(w, http.StatusOK, "notice", s.frame("No team", "", notice{
			"You are in no team yet", "Ask somebody of your team to invite the address that you signed in with.",
		}))
	}
	s.account = s.accounts[0]
	http.Redirect(w, r, s.base()+"/board", http.StatusSeeOther) //nolint:gosec // G710: a path of ours, made of ids
	return nil
}

func (p *Pages) boardPage(w http.ResponseWriter, r *http.Request, s *scene) error {
	ctx, query := r.Context(), r.URL.Query()
	model := board{filters: boardFilters(query), Sources: company.Sources(), Orders: orders()}
	var err error
	if model.Views, err = p.tabs(ctx, s, "board", query, &model.filters); err != nil {
		return err
	}
	found, err := p.deps.Dashboards.Pipeline(ctx, s.Who, s.account.ID, model.counted())
	if err != nil {
		return err
	}
	if found.Companies == 0 {
		model.First = new(emptyDraft(s, ""))
	}
	if model.Columns, err = p.columns(ctx, s, found.Stages, &model.filters); err != nil {
		return err
	}
	for _, one := range model.Columns {
		model.Total += max(one.Count, 0)
	}
	return p.show(w, http.StatusOK, "board", s.frame("Board", "board", model))
}

// boardFilters are those of the table, but that the cards which changed last are the first.
func boardFilters(query url.Values) filters {
	f := filtersOf(query)
	f.From, f.To = "", ""
	if f.Sort == "" && f.View == "" {
		f.Sort = company.SortUpdated
	}
	return f
}

// columns reads the first cards of each stage, or of the one that the filters name.
func (p *Pages) columns(ctx context.Context, s *scene, stages []dashboard.Stage, f *filters) ([]column, error) {
	var columns []column
	var questions []company.ListQuery
	for _, stage := range noStatusFirst(stages) {
		one := column{ID: noStatus, Name: "No status", Color: stage.Color, Count: stage.Count}
		if stage.ID != nil {
			one.ID, one.Name = stage.ID.String(), stage.Name
		}
		if f.Status != "" && f.Status != one.ID {
			continue
		}
		columns = append(columns, one)
		if one.Count != 0 {
			questions = append(questions, f.ofColumn(one.ID).listQuery(s.account.ID, firstCards))
		}
	}
	lists, err := p.deps.Companies.Lists(ctx, s.Who, questions)
	if err != nil {
		return nil, err
	}
	for i := range columns {
		if columns[i].Count != 0 {
			columns[i].columnCards = cardsOfColumn(s, f.ofColumn(columns[i].ID), lists[0])
			lists = lists[1:]
		}
	}
	return columns, nil
}

// noStatusFirst returns the stages with that of the companies without a status, which comes last, as the first.
func noStatusFirst(stages []dashboard.Stage) []dashboard.Stage {
	last := len(stages) - 1
	return append([]dashboard.Stage{stages[last]}, stages[:last]...)
}

// ofColumn returns the filters with the status of a column.
func (f *filters) ofColumn(id string) *filters {
	of := *f
	of.Status = id
	return &of
}

// cardsOfColumn returns some cards of a column, and where the next are.
func cardsOfColumn(s *scene, f *filters, list company.ListPage) columnCards {
	part := columnCards{Cards: cardsOf(s, list.Views)}
	if list.Next != nil {
		part.More = f.with(s.base() + "/companies")
		query, _ := url.ParseQuery(f.encode())
		query.Set("behind", companyPlaceText(f.order().by, list.Views[len(list.Views)-1]))
		part.Next = s.base() + "/board/column?" + query.Encode()
	}
	return part
}

// columnPart answers with the next cards of a column alone, for a board that is scrolled.
func (p *Pages) columnPart(w http.ResponseWriter, r *http.Request, s *scene) error {
	query := r.URL.Query()
	f := boardFilters(query)
	q := f.listQuery(s.account.ID, nextCards)
	q.After = companyPlace(q.Sort, query.Get("behind"))
	views, next, err := p.deps.Companies.List(r.Context(), s.Who, q)
	if err != nil {
		return err
	}
	return p.showPart(w, "board", "cards", cardsOfColumn(s, &f, company.ListPage{Views: views, Next: next}))
}

// moveCompany moves a company to another status, for browsers without scripts.
func (p *Pages) moveCompany(w http.ResponseWriter, r *http.Request, s *scene) error {
	form, err := formOf(w, r)
	if err != nil {
		return err
	}
	id, err := pathID(r, "company")
	if err != nil {
		return err
	}
	var change company.Change
	if change.StatusID, err = statusOf(form.Get("status")); err != nil {
		return err
	}
	if _, err := p.deps.Companies.Update(r.Context(), s.Who, id, change); err != nil {
		return err
	}
	back := s.base() + "/board"
	if form.Get("back") == "company" {
		back = s.base() + "/companies/" + id.String()
	}
	http.Redirect(w, r, back, http.StatusSeeOther) //nolint:gosec // G710: a path of ours, made of ids
	return nil
}
