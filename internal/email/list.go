package email

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// SortBy is the column that a list is ordered by.
type SortBy string

// The columns that lists are ordered by.
const (
	ByCreation SortBy = "created_at"
	ByChange   SortBy = "updated_at"
)

// ListQuery says which emails, and which page of them. Nil and empty filters let everything through.
type ListQuery struct {
	Page      int // from 1
	Limit     int
	SortBy    SortBy // empty: ByCreation
	Ascending bool
	Search    *string // every word of it must occur; without a word it finds nothing
	FromEmail string  // the whole address, in whatever case
	CompanyID *uuid.UUID
	Processed *bool
	Tag       string
}

// List gives a page of the account's emails without their content, and whether another follows. NotFound or Forbidden where the
// account is not the user's.
func (s *Service) List(ctx context.Context, user, accountID uuid.UUID, q ListQuery) (rows []Email, hasNext bool, err error) {
	rows = []Email{}
	err = s.as(ctx, user, accountID, func(tx *postgres.Tx) error {
		ids, err := q.find(tx, accountID)
		if err != nil {
			return err
		}
		if len(ids) > q.Limit {
			ids, hasNext = ids[:q.Limit], true
		}
		rows, err = loadListed(tx, accountID, ids)
		return err
	})
	return rows, hasNext, err
}

// find gives the ids of the page, and one more where another follows.
func (q ListQuery) find(tx *postgres.Tx, accountID uuid.UUID) ([]uuid.UUID, error) {
	column := q.SortBy
	if column == "" {
		column = ByCreation
	}
	var ids []uuid.UUID
	err := tx.Raw("SELECT unnest(app_email_page(?, ?, ?, ?, ?, ?, ?, ?, ?, ?))",
		accountID, q.Search, orNil(q.FromEmail), q.CompanyID, q.Processed, orNil(q.Tag), string(column), !q.Ascending, (q.Page-1)*q.Limit, q.Limit+1,
	).Scan(&ids).Error
	if err != nil {
		return nil, fmt.Errorf("find emails: %w", err)
	}
	return ids, nil
}

// loadListed reads the rows as the user, in the order of the ids.
func loadListed(tx *postgres.Tx, accountID uuid.UUID, ids []uuid.UUID) ([]Email, error) {
	listed := make([]Email, 0, len(ids))
	if len(ids) == 0 {
		return listed, nil
	}
	var rows []Email
	if err := tx.Omit("Content").Where("account_id = ? AND id IN ?", accountID, ids).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("list emails: %w", err)
	}
	byID := map[uuid.UUID]Email{}
	for _, row := range rows {
		byID[row.ID] = row
	}
	for _, id := range ids {
		if row, found := byID[id]; found {
			listed = append(listed, row)
		}
	}
	return listed, nil
}

func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
