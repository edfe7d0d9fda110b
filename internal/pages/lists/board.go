// Package lists has the lists of an account's companies: the board, the table with its CSV file, saved views, and
// changes of many companies at once.
package lists

import (
	"context"
	"net/http"
	"net/url"

	"dealflow/internal/company"
	"dealflow/internal/dashboard"
	"dealflow/internal/pages/companies"
	"dealflow/internal/pages/frame"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/savedview"
)

// firstCards is how many cards of a column the page has at first, more than fit into a window. nextCards is how many a
// script loads when somebody scrolls to the end of the column.
const (
	firstCards = 10
	nextCards  = 30
)

// board has the data of the page with a column for each status and one for the companies without a status.
type board struct {
	filters

	First   *companies.Draft // the form that adds a company, if the account has none; else nil
	Views   viewBar
	Sources []string
	Orders  []order
	Columns []column
	Total   int // companies in all columns but those whose Count is Uncounted
}

// column is a status with the first of its companies.
type column struct {
	columnCards

	ID    string // of the stage; frame.NoStatus for the companies without one
	Name  string
	Color string
	Count int // of its companies that match the filters; dashboard.Uncounted where they are too many
}

// columnCards are some cards of a column.
type columnCards struct {
	Cards []companies.Card
	More  string // the address of the table with all of them; "" if Cards are all
	Next  string // the address of the next cards; "" if Cards are all
}

type pages struct {
	frame      *frame.Server
	companies  *company.Service
	dashboards *dashboard.Service
	views      *savedview.Service
}

// Serve adds the board, the table and the saved views of companies, with their forms, to the server.
func Serve(
	on *frame.Server, companies *company.Service, dashboards *dashboard.Service, views *savedview.Service,
) {
	p := &pages{frame: on, companies: companies, dashboards: dashboards, views: views}
	on.User("GET "+frame.AppPath, p.home)
	on.Member("GET /app/{account}", p.boardPage)
	on.Member("GET /app/{account}/board", p.boardPage)
	on.Member("GET /app/{account}/board/column", p.columnPart)
	on.Member("POST /app/{account}/companies/{company}/status", p.moveCompany)
	on.Member("GET /app/{account}/companies", p.tablePage)
	on.Member("GET /app/{account}/companies.csv", p.tableCSV)
	on.Member("POST /app/{account}/companies", p.changeMany)
	on.Member("POST /app/{account}/views", p.saveView)
	on.Member("POST /app/{account}/views/{view}", p.changeView)
	on.Member("POST /app/{account}/views/{view}/delete", p.deleteView)
	on.Member("POST /app/{account}/columns", p.chooseColumns)
}

// home redirects to the board of the account that the user joined first. A user without an account gets a notice
// instead.
func (p *pages) home(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	if len(s.Accounts) == 0 {
		return p.frame.Show(w, http.StatusOK, "notice", s.Page("No team", "", frame.Notice{
			Title: "You are in no team yet", Text: "Ask somebody of your team to invite the address that you signed in with.",
		}))
	}
	s.Account = s.Accounts[0]
	return frame.Redirect(w, r, s.Base()+"/board")
}

func (p *pages) boardPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	ctx, query := r.Context(), r.URL.Query()
	model := board{filters: boardFilters(query), Sources: company.Sources(), Orders: orders()}
	var err error
	if model.Views, err = p.tabs(ctx, s, "board", query, &model.filters); err != nil {
		return err
	}
	found, err := p.dashboards.Pipeline(ctx, s.Who, s.Account.ID, model.counted())
	if err != nil {
		return err
	}
	if found.Companies == 0 {
		model.First = new(companies.EmptyDraft(s, ""))
	}
	if model.Columns, err = p.columns(ctx, s, found.Stages, &model.filters); err != nil {
		return err
	}
	for _, one := range model.Columns {
		model.Total += max(one.Count, 0)
	}
	return p.frame.Show(w, http.StatusOK, "board", s.Page("Board", "board", model))
}

// boardFilters returns the filters of the board: those of the table, without the first and the last day. If the query
// has neither an order nor a saved view, the companies that changed last come first.
func boardFilters(query url.Values) filters {
	f := filtersOf(query)
	f.From, f.To = "", ""
	if f.Sort == "" && f.View == "" {
		f.Sort = company.SortUpdated
	}
	return f
}

// columns reads the first cards of each status, or only of the status in the filters. The first column is that of the
// companies without a status; the others are in the order of stages. It reads no cards for a column whose Count is 0.
func (p *pages) columns(ctx context.Context, s *frame.Scene, stages []dashboard.Stage, f *filters) ([]column, error) {
	var columns []column
	var questions []company.ListQuery
	for _, stage := range noStatusFirst(stages) {
		one := column{ID: frame.NoStatus, Name: "No status", Color: stage.Color, Count: stage.Count}
		if stage.ID != nil {
			one.ID, one.Name = stage.ID.String(), stage.Name
		}
		if f.Status != "" && f.Status != one.ID {
			continue
		}
		columns = append(columns, one)
		if one.Count != 0 {
			questions = append(questions, f.ofColumn(one.ID).listQuery(s.Account.ID, firstCards))
		}
	}
	lists, err := p.lists(ctx, s, questions)
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

// cardList is a page of a list of companies. next is the position after which the next page begins, nil at the end.
type cardList struct {
	cards []companies.Card
	next  *paging.Position
}

// lists reads a page of each list, in one round trip if the pages are small. It reads the rest of a larger page in
// further round trips. It changes the pages in questions.
func (p *pages) lists(ctx context.Context, s *frame.Scene, questions []company.ListQuery) ([]cardList, error) {
	for i := range questions {
		questions[i].Page = questions[i].Part(paging.PartSize / len(questions))
	}
	found, err := p.companies.Lists(ctx, s.Who, questions)
	if err != nil {
		return nil, err
	}
	lists := make([]cardList, len(found))
	for i := range found {
		lists[i] = cardList{companies.CardsOf(s, found[i].Views), found[i].Next}
		found[i].Views = nil
	}
	for i, q := range questions {
		list := &lists[i]
		if q.Limit -= len(list.cards); list.next == nil || q.Limit == 0 {
			continue
		}
		q.After = list.next
		rest, next, err := companies.ListCards(ctx, s, p.companies, q)
		if err != nil {
			return nil, err
		}
		list.cards, list.next = append(list.cards, rest...), next
	}
	return lists, nil
}

// noStatusFirst returns stages with the last one, which counts the companies without a status, moved to the front.
// stages must not be empty.
func noStatusFirst(stages []dashboard.Stage) []dashboard.Stage {
	last := len(stages) - 1
	return append([]dashboard.Stage{stages[last]}, stages[:last]...)
}

// ofColumn returns a copy of the filters in which the status is that of a column.
func (f *filters) ofColumn(id string) *filters {
	of := *f
	of.Status = id
	return &of
}

// cardsOfColumn returns the cards of list. If the column has more, it also returns the address of the table with all
// companies of the column, and the address of the next cards.
func cardsOfColumn(s *frame.Scene, f *filters, list cardList) columnCards {
	part := columnCards{Cards: list.cards}
	if list.next != nil {
		part.More = f.with(s.Base() + "/companies")
		query, _ := url.ParseQuery(f.encode())
		query.Set("behind", companyPositionText(f.order().by, list.cards[len(list.cards)-1]))
		part.Next = s.Base() + "/board/column?" + query.Encode()
	}
	return part
}

// columnPart responds with only the HTML of the next cards of a column, which a script adds to the board.
func (p *pages) columnPart(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	query := r.URL.Query()
	f := boardFilters(query)
	q := f.listQuery(s.Account.ID, nextCards)
	q.After = companyPosition(q.Sort, query.Get("behind"))
	cards, next, err := companies.ListCards(r.Context(), s, p.companies, q)
	if err != nil {
		return err
	}
	return p.frame.ShowPart(w, "cards", cardsOfColumn(s, &f, cardList{cards, next}))
}

// moveCompany sets the status of a company and redirects to the board or, if the field "back" of the form is "company",
// to the company's page. Browsers without scripts use it; the script of the board calls the API. The error is NotFound
// for an id that cannot be parsed and for a company of another account, and otherwise that of frame.FormOf or
// company.Service.Update.
func (p *pages) moveCompany(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	form, err := frame.FormOf(w, r)
	if err != nil {
		return err
	}
	id, err := frame.PathID(r, "company")
	if err != nil {
		return err
	}
	var change company.Change
	if change.StatusID, err = companies.StatusOf(form.Get("status")); err != nil {
		return err
	}
	change.Demand = func(current company.Company) error {
		if current.AccountID != s.Account.ID {
			return frame.NotFound()
		}
		return nil
	}
	if _, err := p.companies.Update(r.Context(), s.Who, id, change); err != nil {
		return err
	}
	back := s.Base() + "/board"
	if form.Get("back") == "company" {
		back = s.Base() + "/companies/" + id.String()
	}
	return frame.Redirect(w, r, back)
}
