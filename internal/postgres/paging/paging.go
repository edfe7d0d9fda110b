// Package paging cuts lists into pages, by number or after the position of a row.
package paging

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// Page selects a part of a list: Limit rows, either the page with a number or the rows after a position. Pages after a
// position do not shift when rows are added before it, and later pages cost no more than the first.
type Page struct {
	Number int // from 1; with After, one more than the number of pages before
	Limit  int
	After  *Position // nil: the page is found by Number

	budget *Budget // nil: its rows may have any size
}

// First returns the first page of a list, with at most limit rows.
func First(limit int) Page { return Page{Number: 1, Limit: limit} }

// Position is the position of a row in a list: the values of the columns by which the list is ordered, as texts that
// Postgres can parse, and the row's id.
type Position struct {
	Values []string
	ID     uuid.UUID
}

// Column is a column by which a list is ordered, and its type. Both are SQL and must be constants.
type Column struct{ SQL, Type string }

// Order is the order of a list. Ties are broken by the id, in the same direction.
type Order struct {
	Columns    []Column
	ID         string // the column of the id, as SQL; "" is "id"
	Descending bool
}

// Oldest returns the order by created_at of lists that begin with the oldest row.
func Oldest() Order { return Order{Columns: []Column{{"created_at", "timestamptz"}}} }

// Newest returns the order by created_at of lists that begin with the newest row.
func Newest() Order { return Order{Columns: Oldest().Columns, Descending: true} }

// Skip returns how many rows a query must skip before the page. It is 0 for a page after a position.
func (p Page) Skip() int {
	if p.After != nil {
		return 0
	}
	return (p.Number - 1) * p.Limit
}

// Of returns a gorm scope that orders a query by o and limits it to the rows of the page and one more, which shows Cut
// that another page follows.
func (p Page) Of(o Order) func(*gorm.DB) *gorm.DB {
	id, direction, sign := "id", "", " > "
	if o.ID != "" {
		id = o.ID
	}
	if o.Descending {
		direction, sign = " DESC", " < "
	}
	var columns, order, values []string
	for _, column := range append(slices.Clip(o.Columns), Column{id, "uuid"}) {
		columns, order = append(columns, column.SQL), append(order, column.SQL+direction)
		values = append(values, "CAST(? AS "+column.Type+")")
	}
	return func(tx *gorm.DB) *gorm.DB {
		if p.After != nil {
			row := "(" + strings.Join(columns, ", ") + ")" + sign + "(" + strings.Join(values, ", ") + ")"
			tx = tx.Where(row, p.After.arguments()...)
		}
		return tx.Order(strings.Join(order, ", ")).Limit(p.Limit + 1).Offset(p.Skip())
	}
}

func (p *Position) arguments() []any {
	arguments := make([]any, 0, len(p.Values)+1)
	for _, value := range p.Values {
		arguments = append(arguments, value)
	}
	return append(arguments, p.ID)
}

// Behind returns the first value and the id of the position after which the page begins; both are nil if After is nil.
// If After is set, it must have a value.
func (p Page) Behind() (value *string, id *uuid.UUID) {
	if p.After == nil {
		return nil, nil
	}
	return &p.After.Values[0], &p.After.ID
}

// Cut returns the rows of the page, without the additional row that Of reads, and the position after which the next
// page begins, or nil if none follows. If the budget of the page is spent, it returns the rows that were read, up to
// Limit, and assumes that more follow. position returns the position of a row.
func Cut[T any](p Page, rows []T, position func(*T) Position) ([]T, *Position) {
	end := p.Limit
	if p.budget.Spent() {
		end = min(end, len(rows))
	} else if len(rows) <= p.Limit {
		return rows, nil
	}
	next := position(&rows[end-1])
	return rows[:end], &next
}

// At returns the position of a row in a list that is ordered by a time.
func At(t time.Time, id uuid.UUID) Position { return Position{Values: []string{Moment(t)}, ID: id} }

// Moment returns a time as a value of a position, to the microsecond as Postgres stores it.
func Moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999999Z") }
