package postgres

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// Page says which part of a list is asked for: so many rows, those of a number or those behind a place. The rows
// behind a place stay the same whatever is written before it, and cost the same wherever it is.
type Page struct {
	Number int // from 1; behind a place, how many pages came before and one
	Limit  int
	After  *Place // nil: by the number alone
}

// FirstPage returns the first page, of so many rows.
func FirstPage(limit int) Page { return Page{Number: 1, Limit: limit} }

// Place is where a row is in a list: what the list is ordered by, as Postgres reads it, and the id of the row.
type Place struct {
	Values []string
	ID     uuid.UUID
}

// Column is what a list is ordered by, and its type: SQL of a constant, never of a request.
type Column struct{ SQL, Type string }

// Order is the order of a list. Ties are broken by the id, in the same direction.
type Order struct {
	Columns    []Column
	ID         string // SQL; "" is id
	Descending bool
}

// Oldest is the order of lists that begin with the oldest, Newest of those that begin with the newest.
func Oldest() Order { return Order{Columns: []Column{{"created_at", "timestamptz"}}} }

// Newest is the reverse of Oldest.
func Newest() Order { return Order{Columns: Oldest().Columns, Descending: true} }

// Skip returns how many rows come before the page, of those behind its place.
func (p Page) Skip() int {
	if p.After != nil {
		return 0
	}
	return (p.Number - 1) * p.Limit
}

// Of returns the scope that narrows a query to the page and one row more, by which Cut sees whether another follows.
func (p Page) Of(o Order) func(*gorm.DB) *gorm.DB {
	id, direction, sign := "id", "", " > "
	if o.ID != "" {
		id = o.ID
	}
	if o.Descending {
		direction, sign = " DESC", " < "
	}
	var columns, order, places []string
	for _, column := range append(slices.Clip(o.Columns), Column{id, "uuid"}) {
		columns, order = append(columns, column.SQL), append(order, column.SQL+direction)
		places = append(places, "CAST(? AS "+column.Type+")")
	}
	return func(tx *gorm.DB) *gorm.DB {
		if p.After != nil {
			row := "(" + strings.Join(columns, ", ") + ")" + sign + "(" + strings.Join(places, ", ") + ")"
			tx = tx.Where(row, p.After.arguments()...)
		}
		return tx.Order(strings.Join(order, ", ")).Limit(p.Limit + 1).Offset(p.Skip())
	}
}

func (p *Place) arguments() []any {
	arguments := make([]any, 0, len(p.Values)+1)
	for _, value := range p.Values {
		arguments = append(arguments, value)
	}
	return append(arguments, p.ID)
}

// Behind returns the one value and the id that a page begins behind, for a function of the database; nil where it
// begins behind none.
func (p Page) Behind() (value *string, id *uuid.UUID) {
	if p.After == nil {
		return nil, nil
	}
	return &p.After.Values[0], &p.After.ID
}

// Cut returns those of the rows read that belong to the page, and the place behind which the next begins; nil at the
// end.
func Cut[T any](p Page, rows []T, place func(*T) Place) ([]T, *Place) {
	if len(rows) <= p.Limit {
		return rows, nil
	}
	next := place(&rows[p.Limit-1])
	return rows[:p.Limit], &next
}

// At returns the place of a row in a list that is ordered by a time, which Postgres keeps to the microsecond.
func At(t time.Time, id uuid.UUID) Place { return Place{Values: []string{Moment(t)}, ID: id} }

// Moment writes a time as a value of a place.
func Moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999999Z") }
