package company

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Orders of a list.
const (
	SortCreated = "created_at"
	SortUpdated = "updated_at"
	SortName    = "name" // whatever the case
)

// ListQuery says which companies, and which page of them. Zero values filter nothing; the newest come first.
type ListQuery struct {
	postgres.Page

	AccountID    *uuid.UUID // one team only; nil: all of the caller's
	Sort         string     // one of the orders; "" is SortCreated
	Ascending    bool
	Search       *string // every word of it must occur; one without a word finds nothing
	Visibility   string
	Source       string
	StatusID     *uuid.UUID
	NoStatus     bool // companies without a status only
	UpdatedSince *time.Time
	Decks        bool // whether the views have their decks
}

// List returns a page of the companies that the caller sees, and where the next begins; nil at the end. NotFound or
// Forbidden where the account is not theirs.
func (s *Service) List(ctx context.Context, who *postgres.Identity, q ListQuery) (views []View, next *postgres.Place, err error) {
	var rows []viewRow
	var role string
	queries := []postgres.Query{q.query(&rows)}
	if q.AccountID != nil {
		queries = []postgres.Query{account.IsMember(&role, *q.AccountID), queries[0]}
	}
	if err := s.db.Read(ctx, who, queries...); err != nil {
		return nil, nil, fmt.Errorf("list companies: %w", err)
	}
	rows, next = postgres.Cut(q.Page, rows, q.place)
	views, err = viewsOf(rows)
	return views, next, err
}

// query reads a page and one row more. The database finds the ids, each account's in the order of an index; pages of
// several accounts are merged out of the beginnings of their lists.
func (q *ListQuery) query(rows *[]viewRow) postgres.Query {
	s := listed().withDeck(q.Decks)
	value, id := q.Behind()
	return postgres.Rows(rows, s.fields, "SELECT "+s.columns+` FROM unnest(app_company_list($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13))
		WITH ORDINALITY AS p (id, place) JOIN companies c ON c.id = p.id`+s.joins+" ORDER BY p.place",
		q.AccountID, q.Search, nullable(q.Visibility), nullable(q.Source), q.StatusID, q.NoStatus, q.UpdatedSince,
		cmp.Or(q.Sort, SortCreated), !q.Ascending, value, id, q.Skip(), q.Limit+1)
}

// place returns where a company is in the list. Of its name the database makes what it sorts by.
func (q *ListQuery) place(row *viewRow) postgres.Place {
	switch q.Sort {
	case SortName:
		return postgres.Place{Values: []string{row.Name}, ID: row.ID}
	case SortUpdated:
		return postgres.At(row.UpdatedAt, row.ID)
	}
	return postgres.At(row.CreatedAt, row.ID)
}

func nullable(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Get returns one company without its deck: NotFound where there is none or row rules hide it from the caller,
// Forbidden where it is another team's.
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

// whyNot returns the refusal for a company that the transaction's user does not see.
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
	if access != nil && *access == "outside" {
		return fault.NewForbidden()
	}
	return fault.NewNotFound()
}
