package company

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// Orders of a list of companies. The function app_company_list in migrations/schema.sql implements them.
const (
	SortCreated = "created_at"
	SortUpdated = "updated_at"
	SortName    = "name" // upper and lower case are the same
)

// ListQuery selects companies, and a page of them. Page must be set; any other zero field filters nothing. The newest
// companies come first unless Sort or Ascending says otherwise.
type ListQuery struct {
	paging.Page

	AccountID    *uuid.UUID // nil: the companies of all accounts of the caller
	Sort         string     // SortCreated, SortUpdated or SortName; "" is SortCreated
	Ascending    bool
	Search       *string // every word of it must occur in the company; a text without words finds nothing
	Visibility   string
	Source       string
	StatusID     *uuid.UUID
	NoStatus     bool // companies without a status only
	UpdatedSince *time.Time
	Decks        bool // whether the views are to have their decks
}

// List returns a page of the companies that the caller sees, without SourceContent and Edited, and the position where
// the next page begins, which is nil at the end. If q.AccountID is set, the error is NotFound if there is no such
// account, and Forbidden if the caller is not a member of it.
func (s *Service) List(ctx context.Context, who *postgres.Identity, q ListQuery) (views []View, next *paging.Position,
	err error,
) {
	pages, err := s.Lists(ctx, who, []ListQuery{q})
	if err != nil {
		return nil, nil, err
	}
	return pages[0].Views, pages[0].Next, nil
}

// listPage is a page of a list. Next is the position where the next page begins, and nil at the end.
type listPage struct {
	Views []View
	Next  *paging.Position
}

// Lists is List for several queries in one round trip to the database; the pages are in the order of the queries, nil
// if there are none. Each query must have the AccountID of the first, for which alone the membership is checked. The
// errors are those of List.
func (s *Service) Lists(ctx context.Context, who *postgres.Identity, questions []ListQuery) ([]listPage, error) {
	if len(questions) == 0 {
		return nil, nil
	}
	var queries []postgres.Query
	if questions[0].AccountID != nil {
		queries = append(queries, account.IsMember(new(string), *questions[0].AccountID))
	}
	rows, pages := make([][]viewRow, len(questions)), make([]listPage, len(questions))
	for i := range questions {
		queries = append(queries, questions[i].query(&rows[i]))
	}
	if err := s.db.Read(ctx, who, queries...); err != nil {
		return nil, fmt.Errorf("list companies: %w", err)
	}
	for i := range questions {
		var err error
		rows[i], pages[i].Next = paging.Cut(questions[i].Page, rows[i], questions[i].position)
		if pages[i].Views, err = viewsOf(rows[i]); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// query returns a query that reads into rows the companies of a page, and one more if another page follows.
// app_company_list returns their ids in order; for several accounts it merges the lists of the accounts.
func (q *ListQuery) query(rows *[]viewRow) postgres.Query {
	s := listed().withDeck(q.Decks)
	value, id := q.Behind()
	return postgres.Rows(rows, s.fields,
		"SELECT "+s.columns+` FROM unnest(app_company_list($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13))
		WITH ORDINALITY AS p (id, nth) JOIN companies c ON c.id = p.id`+s.joins+" ORDER BY p.nth",
		q.AccountID, q.Search, nullable(q.Visibility), nullable(q.Source), q.StatusID, q.NoStatus, q.UpdatedSince,
		cmp.Or(q.Sort, SortCreated), !q.Ascending, value, id, q.Skip(), q.Limit+1).Within(q.Page)
}

// position returns the position of a company in the list. In an order by name it has the name unchanged; the database
// folds its case.
func (q *ListQuery) position(row *viewRow) paging.Position {
	switch q.Sort {
	case SortName:
		return paging.Position{Values: []string{row.Name}, ID: row.ID}
	case SortUpdated:
		return paging.At(row.UpdatedAt, row.ID)
	}
	return paging.At(row.CreatedAt, row.ID)
}

func nullable(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Get returns one company without its deck. The error is NotFound if there is none, or if the caller is a member of its
// account but may not see it; Forbidden if the caller is not a member; Gone if it was merged into a company that the
// caller sees (see fault.SuccessorOf).
func (s *Service) Get(ctx context.Context, who *postgres.Identity, id uuid.UUID) (View, error) {
	return s.get(ctx, who, id, viewed())
}

// GetWithDeck is Get with the deck.
func (s *Service) GetWithDeck(ctx context.Context, who *postgres.Identity, id uuid.UUID) (View, error) {
	return s.get(ctx, who, id, viewed().withDeck(true))
}

func (s *Service) get(ctx context.Context, who *postgres.Identity, id uuid.UUID, parts selection) (View, error) {
	var rows []viewRow
	if err := s.db.Read(ctx, who, parts.ofOne(&rows, id)); err != nil {
		return View{}, fmt.Errorf("get company %s: %w", id, err)
	}
	if len(rows) > 0 {
		return rows[0].view()
	}
	var access *string
	if err := s.db.Read(ctx, who, accessQuery(&access, id)); err != nil {
		return View{}, fmt.Errorf("ask who may see company %s: %w", id, err)
	}
	return View{}, unseen(access)
}

// whyNot returns the error for a company that the transaction's user does not see: NotFound, Forbidden, or Gone if it
// was merged into another company.
func whyNot(tx *postgres.Tx, id uuid.UUID) error {
	var access *string
	if err := tx.Run(accessQuery(&access, id)); err != nil {
		return fmt.Errorf("ask who may see company %s: %w", id, err)
	}
	return unseen(access)
}

func accessQuery(access **string, id uuid.UUID) postgres.Query {
	return postgres.Value(access, "SELECT app_company_access($1)", id)
}

func unseen(access *string) error {
	if access == nil {
		return fault.NewNotFound()
	}
	if *access == "outside" {
		return fault.NewForbidden()
	}
	if into, merged := strings.CutPrefix(*access, "merged:"); merged {
		return fault.NewSuperseded("company_merged", into)
	}
	return fault.NewNotFound()
}
