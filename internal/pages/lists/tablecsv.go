package lists

import (
	"net/http"
	"strings"

	"dealflow/internal/account"
	"dealflow/internal/company"
	"dealflow/internal/pages/companies"
	"dealflow/internal/pages/frame"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/savedview"
	"dealflow/internal/timestamp"
	"dealflow/internal/transfer"
)

// csvBatch is how many companies a query for the CSV file reads.
const csvBatch = 500

// tableCSV streams the companies that match the filters of the table as CSV: the name, the columns of the table, and
// the id. If reading fails, it aborts the connection, since a response that simply ended would look complete.
func (p *pages) tableCSV(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	f, bar, err := p.filtersOf(r.Context(), s, r.URL.Query())
	if err != nil {
		return err
	}
	shown, err := p.columnsOf(r.Context(), s, bar, &f)
	if err != nil {
		return err
	}
	columns := append([]string{"name"}, savedview.InOrder(shown)...)
	out := frame.BeginCSV(w, "companies.csv")
	if r.Method == http.MethodHead {
		return nil
	}
	_ = out.Row(append(columns, "id")...) // Flush returns an error later, here and below
	if err := p.writeCSV(r, s, &f, columns, out); err != nil {
		s.Failed(err)
		panic(http.ErrAbortHandler) // an answer that simply ended would look complete
	}
	return nil
}

func (p *pages) writeCSV(r *http.Request, s *frame.Scene, f *filters, columns []string, out *transfer.CSV) error {
	q := f.listQuery(s.Account.ID, csvBatch)
	list := func(part paging.Page) ([]company.View, *paging.Position, error) {
		q.Page = part
		return p.companies.List(r.Context(), s.Who, q)
	}
	page := q.Page
	for page.After = f.start(); ; {
		over := false
		next, err := paging.InParts(page, list, func(views []company.View) error {
			over = over || writeRows(s, f, columns, views, out)
			return out.Flush()
		})
		if err != nil || over || next == nil {
			return err
		}
		page.After = next
	}
}

// writeRows writes companies as rows until one is outside of the days of the filters, and reports whether there was
// one. With days, the list is sorted by creation, the newest first, so the companies after it are outside too.
func writeRows(s *frame.Scene, f *filters, columns []string, views []company.View, out *transfer.CSV) (over bool) {
	for _, view := range views {
		one := companies.CardOf(s, view)
		if f.outside(one) {
			return true
		}
		cells := make([]string, 0, len(columns)+1)
		for _, key := range columns {
			cells = append(cells, cellText(&one, key))
		}
		_ = out.Row(append(cells, one.ID)...) // Flush returns an error later
	}
	return false
}

// cellText returns the text of a company's cell in a column of the CSV file; "" for a cell without a value and for an
// unknown column.
func cellText(c *companies.Card, column string) string {
	switch column {
	case "name":
		return c.Name
	case "status":
		return c.Status
	case "founders":
		return c.Founders
	case "summary":
		return c.Summary
	case "source":
		return c.Source
	case "visibility":
		return c.Sight
	case "deck":
		if c.HasDeck {
			return "yes"
		}
	case "assignees":
		return strings.Join(addresses(c.Assignees), ", ")
	case "created_at":
		return timestamp.Format(c.Created)
	case "updated_at":
		return timestamp.Format(c.Updated)
	}
	return ""
}

func addresses(users []account.User) (emails []string) {
	for _, user := range users {
		emails = append(emails, user.Email)
	}
	return emails
}
