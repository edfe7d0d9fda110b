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
func (s *Service) List(ctx context.Context, who *postgres.Identity, q ListQuery) (views []View, next *postgres.Place,
	err error,
) {
	pages, err := s.Lists(ctx, who, []ListQuery{q})
	if err != nil {
		return nil, nil, err
	}
	return pages[0].Views, pages[0].Next, nil
}

// ListPage is a page of a list, and where the next begins; nil at the end.
type ListPage struct {
	Views []View
	Next  *postgres.Place
}

// Lists is List for several questions about one account, or about all of the caller's, in one trip to the database.
func (s *Service) Lists(ctx context.Context, who *postgres.Identity, questions []ListQuery) ([]ListPage, error) {
	if len(questions) == 0 {
		return nil, nil
	}
	var queries []postgres.Query
	if questions[0].AccountID != nil {
		queries = append(queries, account.IsMember(new(string), *questions[0].AccountID))
	}
	rows, pages := make([][]viewRow, len(questions)), make([]ListPage, len(questions))
	for i := range questions {
		queries = append(queries, questions[i].query(&rows[i]))
	}
	if err := s.db.Read(ctx, who, queries...); err != nil {
		return nil, fmt.Errorf("list companies: %w", err)
	}
	for i := range questions {
		var err error
		rows[i], pages[i].Next = postgres.Cut(questions[i].Page, rows[i], questions[i].place)
		if pages[i].Views, err = viewsOf(rows[i]); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// query reads a page and one row more. The database finds the ids, each account's in the order of an index; pages of
// several accounts are merged out of the beginnings of their lists.
func (q *ListQuery) query(rows *[]viewRow) postgres.Query {
	s := listed().withDeck(q.Decks)
	value, id := q.Behind()
	return postgres.Rows(rows, s.fields,
		"SELECT "+s.columns+` FROM unnest(app_company_list($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13))
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
