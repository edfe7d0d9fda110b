package email

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// SortBy is the column that a list is ordered by.
type SortBy string

// The columns that lists are ordered by.
const (
	ByCreation SortBy = "created_at"
	ByChange   SortBy = "updated_at"
)

// ListQuery selects emails, and a page of them, which must be set. A nil or empty filter selects all. UpdatedSince
// selects those that were added or changed at this time or later.
type ListQuery struct {
	paging.Page

	SortBy       SortBy // empty: ByCreation
	Ascending    bool
	Search       *string // every word of it must occur; without a word it finds nothing
	FromEmail    string  // the whole address, in whatever case
	CompanyID    *uuid.UUID
	Processed    *bool
	Tag          string
	UpdatedSince *time.Time
}

// List returns a page of the account's emails without their content and metadata, and the position where the next page
// begins, which is nil at the end. The error is NotFound if there is no such account, and Forbidden if the caller is
// not a member of it.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, q ListQuery,
) ([]Email, *paging.Position, error) {
	var rows []Email
	if err := account.Read(ctx, s.db, who, accountID, q.query(s.db, &rows, accountID)); err != nil {
		return nil, nil, fmt.Errorf("list emails: %w", err)
	}
	rows, next := paging.Cut(q.Page, rows, q.position)
	return rows, next, nil
}

// query returns a query that reads into rows the emails of the page, and one more if another page follows. A function
// of the database finds the ids; the policies of row-level security apply when the rows are read.
func (q ListQuery) query(db *postgres.DB, rows *[]Email, accountID uuid.UUID) postgres.Query {
	value, id := q.Behind()
	return postgres.Found(db, rows, func(tx *gorm.DB) *gorm.DB {
		return tx.Omit("Content", "Metadata").Joins(`JOIN unnest(
			app_email_page(?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS timestamptz), ?, ?, ?)) WITH ORDINALITY AS p (found, nth)
			ON p.found = emails.id`, accountID, q.Search, orNil(q.FromEmail), q.CompanyID, q.Processed, orNil(q.Tag),
			q.UpdatedSince,
			string(cmp.Or(q.SortBy, ByCreation)), !q.Ascending, value, id, q.Skip(), q.Limit+1,
		).Where("account_id = ?", accountID).Order("p.nth").Find(&[]Email{})
	}).Within(q.Page)
}

func (q ListQuery) position(e *Email) paging.Position {
	if q.SortBy == ByChange {
		return paging.At(e.UpdatedAt, e.ID)
	}
	return paging.At(e.CreatedAt, e.ID)
}

func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
