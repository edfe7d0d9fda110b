package lists

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company"
	"dealflow/internal/dashboard"
	"dealflow/internal/pages/companies"
	"dealflow/internal/pages/frame"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/savedview"
)

// tableSize is how many companies a page of the table has.
const tableSize = 50

// table has the data of the page with a list of companies and its filters.
type table struct {
	filters

	Views   viewBar
	Columns []tableColumn
	Rows    []tableRow
	Stages  []dashboard.Stage // the last is that of the companies without a status
	Sources []string
	Orders  []order
	Team    []account.Member
	CSV     string // the address of the same list as a CSV file
	Self    string // the address of this page
	First   string // the first page; "" on it
	Before  string // the page before; "" for none
	After   string // the page after; "" for none
	Done    *bulkResult

	Matching int // companies on all pages; dashboard.Uncounted where that is not known
}

// tableColumn is a column that the table can have.
type tableColumn struct {
	Key, Label string
	Shown      bool
	Sort       string // the address of the table sorted by the column; "" if that is not possible
	Sorted     string // ascending or descending; "" where the table is not sorted by the column
}

// tableRow is a company with its cells.
type tableRow struct {
	companies.Card

	Cells []cell
}

// cell is a cell of a company in the column with the key Column.
type cell struct {
	companies.Card

	Column string
}

func (p *pages) tablePage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	return p.showTable(w, r, s, nil)
}

// showTable responds with the table; done is the result of a change of its companies, nil for none.
func (p *pages) showTable(w http.ResponseWriter, r *http.Request, s *frame.Scene, done *bulkResult) error {
	ctx, query := r.Context(), r.URL.Query()
	f, bar, err := p.filtersOf(ctx, s, query)
	if err != nil {
		return err
	}
	if bar.columns, err = p.columnsOf(ctx, s, bar, &f); err != nil {
		return err
	}
	found, err := p.dashboards.Pipeline(ctx, s.Who, s.Account.ID, f.counted())
	if err != nil {
		return err
	}
	team, err := p.frame.Team(ctx, s)
	if err != nil {
		return err
	}
	model := table{
		filters: f, Views: bar, Stages: found.Stages, Sources: company.Sources(), Orders: orders(), Team: team,
		Done: done, Matching: f.matching(found),
	}
	part, err := p.tablePart(ctx, s, &model.filters, query)
	if err != nil {
		return err
	}
	model.fill(s, part)
	model.Self = r.URL.RequestURI()
	return p.frame.Show(w, http.StatusOK, "table", s.Page("Companies", "companies", model))
}

// tablePart is a page of a list. before and after are the positions of its first and its last company, as
// companyPositionText returns them: the page before this one ends before the first, the next page begins after the
// last. They are "" if there is no such page.
type tablePart struct {
	cards         []companies.Card
	before, after string
	isFirst       bool
}

// tablePart reads up to tableSize companies: those after the position that the query has under "behind", or those that
// precede the position under "before", or the first ones if it has no such position. It leaves out companies outside of
// the days of the filters. The cards are always in the order of the list.
func (p *pages) tablePart(ctx context.Context, s *frame.Scene, f *filters, query url.Values) (tablePart, error) {
	q := f.listQuery(s.Account.ID, tableSize)
	q.Decks = false
	q.After = companyPosition(q.Sort, query.Get("before"))
	backwards := q.After != nil
	if backwards {
		q.Ascending = !q.Ascending
	} else {
		q.After = companyPosition(q.Sort, query.Get("behind"))
	}
	part := tablePart{isFirst: q.After == nil}
	if q.After == nil {
		q.After = f.start()
	}
	cards, next, err := companies.ListCards(ctx, s, p.companies, q)
	if err != nil {
		return part, err
	}
	if backwards {
		slices.Reverse(cards)
	}
	found := len(cards)
	part.cards = slices.DeleteFunc(cards, f.outside)
	more := next != nil && len(part.cards) == found
	if len(part.cards) == 0 {
		return part, nil
	}
	first, last := companyPositionText(q.Sort, part.cards[0]), companyPositionText(q.Sort, part.cards[len(part.cards)-1])
	if backwards && more || !backwards && !part.isFirst {
		part.before = first
	}
	if backwards || more {
		part.after = last
	}
	return part, nil
}

// start returns the position after which a list that begins with the newest company has none that was added after the
// day To, in UTC. It returns nil if To is empty.
func (f *filters) start() *paging.Position {
	last, err := time.Parse(time.DateOnly, f.To)
	if err != nil {
		return nil
	}
	return new(paging.At(last.AddDate(0, 0, 1), uuid.Nil))
}

// outside reports whether a company was added before the day From or after the day To, in UTC. An empty day is no
// limit.
func (f *filters) outside(c companies.Card) bool {
	day := c.Created.UTC().Format(time.DateOnly)
	return f.From != "" && day < f.From || f.To != "" && day > f.To
}

// fill sets the rows, the columns and the links of the table.
func (t *table) fill(s *frame.Scene, part tablePart) {
	path := s.Base() + "/companies"
	t.CSV = t.with(path + ".csv")
	at := func(name, position string) string {
		if position == "" {
			return ""
		}
		query, _ := url.ParseQuery(t.encode())
		query.Set(name, position)
		return path + "?" + query.Encode()
	}
	t.Before, t.After = at("before", part.before), at("behind", part.after)
	if !part.isFirst {
		t.First = t.with(path)
	}
	shown := savedview.InOrder(t.Views.columns)
	t.Columns = []tableColumn{t.column(path, "name", company.SortName)}
	for _, key := range savedview.AllColumns() {
		one := t.column(path, key, key)
		one.Shown = slices.Contains(shown, key)
		t.Columns = append(t.Columns, one)
	}
	for _, one := range part.cards {
		row := tableRow{Card: one}
		for _, key := range shown {
			row.Cells = append(row.Cells, cell{one, key})
		}
		t.Rows = append(t.Rows, row)
	}
}

// column returns a column of the table. Its link sorts by the column, or reverses the order if the table is already
// sorted by it. It has no link if no order sorts by it, or if the filters have a first or last day.
func (t *table) column(path, key, by string) tableColumn {
	one := tableColumn{Key: key, Label: columnLabel(key)}
	now := t.order()
	for _, o := range orders() {
		if o.by != by || t.From != "" || t.To != "" {
			continue
		}
		if o.Key == now.Key {
			one.Sorted = map[bool]string{true: "ascending", false: "descending"}[o.ascending]
		} else if one.Sort == "" || now.by == by {
			other := t.filters
			other.Sort = o.Key
			one.Sort = other.with(path)
		}
	}
	return one
}

func columnLabel(key string) string {
	return map[string]string{
		"name": "Name", "status": "Status", "founders": "Founders", "summary": "Summary", "source": "Source",
		"visibility": "Visibility", "deck": "Deck", "assignees": "Assigned", "created_at": "Added", "updated_at": "Changed",
	}[key]
}
