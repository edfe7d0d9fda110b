// Package meeting keeps meeting minutes: Markdown notes of a team, optionally about a company. Minutes about a company
// are seen by those who see the company, the others by every member.
package meeting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// Minutes are the notes of one meeting.
type Minutes struct {
	ID          uuid.UUID
	AccountID   uuid.UUID
	Title       string
	Content     *string // Markdown
	CompanyID   *uuid.UUID
	MeetingDate *time.Time
	Attendees   postgres.Strings
	Processed   bool
	Metadata    json.RawMessage // an object
	CreatedBy   uuid.UUID
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// TableName returns the name of the table, which gorm would not guess.
func (Minutes) TableName() string { return "meeting_minutes" }

// Service keeps the minutes. It is safe for concurrent use.
type Service struct{ db *postgres.DB }

// New returns the service on a database.
func New(db *postgres.DB) *Service { return &Service{db: db} }

// ListQuery selects minutes of an account. Page must be set. A nil filter selects all. UpdatedSince selects those that
// were added or changed at this time or later.
type ListQuery struct {
	paging.Page

	CompanyID    *uuid.UUID
	Processed    *bool
	UpdatedSince *time.Time
}

// List returns a page of the account's minutes that the caller sees, newest first, and the position where the next page
// begins, which is nil at the end. The error is NotFound if there is no such account, and Forbidden if the caller is
// not a member of it.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, q ListQuery,
) ([]Minutes, *paging.Position, error) {
	var rows []Minutes
	err := account.Read(ctx, s.db, who, accountID, postgres.Found(s.db, &rows, func(tx *gorm.DB) *gorm.DB {
		return q.Of(paging.Newest())(q.filter(tx, accountID)).Find(&[]Minutes{})
	}).Within(q.Page))
	if err != nil {
		return nil, nil, fmt.Errorf("list meeting minutes: %w", err)
	}
	rows, next := paging.Cut(q.Page, rows, func(m *Minutes) paging.Position { return paging.At(m.CreatedAt, m.ID) })
	return rows, next, nil
}

func (q ListQuery) filter(tx *gorm.DB, accountID uuid.UUID) *gorm.DB {
	tx = tx.Where("account_id = ?", accountID)
	if q.CompanyID != nil {
		tx = tx.Where("company_id = ?", *q.CompanyID)
	}
	if q.Processed != nil {
		tx = tx.Where("processed = ?", *q.Processed)
	}
	if q.UpdatedSince != nil {
		tx = tx.Where("updated_at >= ?", *q.UpdatedSince)
	}
	return tx
}

// Get returns one of the account's minutes. The error is NotFound if there is no such account, the account has no such
// minutes, or their company is hidden from the caller; Forbidden if the caller is not a member of the account.
func (s *Service) Get(ctx context.Context, who *postgres.Identity, accountID, id uuid.UUID) (Minutes, error) {
	var rows []Minutes
	err := account.Read(ctx, s.db, who, accountID, postgres.Found(s.db, &rows, func(tx *gorm.DB) *gorm.DB {
		return tx.Where("account_id = ? AND id = ?", accountID, id).Find(&[]Minutes{})
	}))
	if err != nil {
		return Minutes{}, fmt.Errorf("read meeting minutes %s: %w", id, err)
	}
	return postgres.One(rows)
}

func load(tx *gorm.DB, accountID, id uuid.UUID, into *Minutes) error {
	err := tx.First(into, "account_id = ? AND id = ?", accountID, id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return fault.NewNotFound()
	}
	if err != nil {
		return fmt.Errorf("load meeting minutes %s: %w", id, err)
	}
	return nil
}
