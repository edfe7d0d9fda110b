package postgres

import (
	"github.com/jackc/pgx/v5"

	"dealflow/internal/postgres/paging"
)

// Within returns the query with the budget of a page: it keeps the first row, and further rows as long as all of them
// fit into the budget together, and drops the rest. A page without a budget changes nothing. After such a query,
// paging.Cut returns the position of the last row that was kept.
func (q Query) Within(p paging.Page) Query {
	budget := p.Budget()
	if budget == nil {
		return q
	}
	read := q.read
	q.read = func(rows pgx.Rows) error {
		budget.Begin()
		return read(&budgeted{Rows: rows, budget: budget})
	}
	q.later = budget.Later()
	return q
}

// budgeted yields rows until the budget of a part of a page is spent.
type budgeted struct {
	pgx.Rows

	budget *paging.Budget
}

// Next implements pgx.Rows.
func (r *budgeted) Next() bool {
	if r.budget.Spent() || !r.Rows.Next() {
		return false
	}
	size := 0
	for _, value := range r.RawValues() {
		size += len(value)
	}
	if !r.budget.Spend(size) {
		r.Close() // reads the rest, and keeps nothing of it
		return false
	}
	return true
}
