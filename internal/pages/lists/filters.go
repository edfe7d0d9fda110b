package lists

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/dashboard"
	"dealflow/internal/pages/companies"
	"dealflow/internal/pages/frame"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/savedview"
)

// filters select and order the companies of the board and of the table. They are in the query of the page's address.
type filters struct {
	Search string
	Status string // an id, or frame.NoStatus; "" for any
	Source string
	Sort   string // a key of orders; "" for the usual one
	From   string // companies that were added on this day, in UTC, or later; "" for any
	To     string // companies that were added on this day or earlier; "" for any
	View   string // the id of the saved view that is chosen; "" for none
	Own    bool   // the table has the columns that the member chose last, not those of the view
}

// order is a way to sort a list. Key is its value in an address.
type order struct {
	Key, Label string

	by        string
	ascending bool
}

func orders() []order {
	return []order{
		{"created_at", "Newest first", company.SortCreated, false},
		{"created_at_asc", "Oldest first", company.SortCreated, true},
		{"updated_at", "Changed last", company.SortUpdated, false},
		{"updated_at_asc", "Unchanged longest", company.SortUpdated, true},
		{"name", "By name", company.SortName, true},
		{"name_desc", "By name, backwards", company.SortName, false},
	}
}

// filterNames returns the names of the parameters for the filters that a saved view stores.
func filterNames() []string { return []string{"search", "status", "source", "sort"} }

func filtersOf(query url.Values) filters {
	f := filters{
		Search: clean(query.Get("search")), Status: query.Get("status"), Source: query.Get("source"),
		Sort: query.Get("sort"), View: query.Get("view"), Own: query.Get("columns") == "own",
	}
	for name, into := range map[string]*string{"from": &f.From, "to": &f.To} {
		if _, err := time.Parse(time.DateOnly, query.Get(name)); err == nil {
			*into = query.Get(name)
		}
	}
	return f
}

// clean removes invalid UTF-8 and NUL from a text, which Postgres cannot store.
func clean(text string) string { return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "") }

// encode returns the filters as a query. With a saved view, the query also has the empty filters, so that they replace
// those of the view.
func (f *filters) encode() string {
	query := url.Values{}
	for name, value := range map[string]string{
		"search": f.Search, "status": f.Status, "source": f.Source, "sort": f.Sort, "from": f.From, "to": f.To,
		"view": f.View,
	} {
		if value != "" || f.View != "" && slices.Contains(filterNames(), name) { // empty: it replaces the view's
			query.Set(name, value)
		}
	}
	if f.Own {
		query.Set("columns", "own")
	}
	return query.Encode()
}

// with returns the address of the page at path with these filters.
func (f *filters) with(path string) string {
	if query := f.encode(); query != "" {
		return path + "?" + query
	}
	return path
}

// counted returns the filters for counting companies by status: search and source only.
func (f *filters) counted() dashboard.Filter {
	q := f.listQuery(uuid.Nil, 0)
	return dashboard.Filter{Search: f.Search, Source: q.Source}
}

// listQuery returns the query for a list with these filters, without the days; see start and outside. A filter with an
// unknown value is ignored.
func (f *filters) listQuery(accountID uuid.UUID, limit int) company.ListQuery {
	q := company.ListQuery{Page: paging.First(limit), AccountID: &accountID, NoStatus: f.Status == frame.NoStatus}
	q.Sort, q.Ascending = f.order().by, f.order().ascending
	if f.Search != "" {
		q.Search = &f.Search
	}
	if id, err := uuid.Parse(f.Status); err == nil {
		q.StatusID = &id
	}
	if slices.Contains(company.Sources(), f.Source) {
		q.Source = f.Source
	}
	return q
}

// order returns how the list is sorted: the newest first if Sort is not a known key, and also if there is a first or
// last day, since the days are those of creation.
func (f *filters) order() order {
	for _, one := range orders() {
		if one.Key == f.Sort && f.From == "" && f.To == "" {
			return one
		}
	}
	return orders()[0]
}

// use sets search, source, status and order to those of a saved view. It does not change the days.
func (f *filters) use(v savedview.View) {
	f.Search, f.Source, f.Status = v.Search, v.Source, ""
	switch {
	case v.NoStatus:
		f.Status = frame.NoStatus
	case v.CompanyStatusID != nil:
		f.Status = v.CompanyStatusID.String()
	}
	for _, one := range orders() {
		if one.by == v.SortBy && one.ascending == v.Ascending {
			f.Sort = one.Key
		}
	}
}

// draft returns a saved view with search, source, status and order of the filters. A view has no days; if the filters
// have one, the order is newest first.
func (f *filters) draft(name string, shared bool, columns []string) savedview.Draft {
	q := f.listQuery(uuid.Nil, 0)
	return savedview.Draft{
		Name: name, Shared: shared, Search: f.Search, CompanyStatusID: q.StatusID, NoStatus: q.NoStatus, Source: q.Source,
		SortBy: q.Sort, Ascending: q.Ascending, Columns: columns,
	}
}

// companyPositionText returns the position of a company in a list that is sorted by the column by, as text for an
// address.
func companyPositionText(by string, c companies.Card) string {
	value := paging.Moment(c.Created)
	switch by {
	case company.SortName:
		value = c.Name
	case company.SortUpdated:
		value = paging.Moment(c.Updated)
	}
	return value + "_" + c.ID
}

// companyPosition parses the result of companyPositionText for the same column. It returns nil for any other text. The
// text is not signed: it only decides which companies are skipped.
func companyPosition(by, text string) *paging.Position {
	at := strings.LastIndexByte(text, '_')
	if at < 0 {
		return nil
	}
	id, err := uuid.Parse(text[at+1:])
	if err != nil {
		return nil
	}
	if by == company.SortName {
		return &paging.Position{Values: []string{clean(text[:at])}, ID: id}
	}
	moment, err := time.Parse(time.RFC3339Nano, text[:at])
	if err != nil {
		return nil
	}
	return new(paging.At(moment, id))
}
