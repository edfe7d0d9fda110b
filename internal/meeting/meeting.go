// Package meeting keeps meeting minutes: Markdown notes of a team, optionally about a company. Those about a company are seen by
// whoever sees the company, the others by every member.
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

// TableName is what gorm would not guess.
func (Minutes) TableName() string { return "meeting_minutes" }

// Service keeps the minutes.
type Service struct{ db *postgres.DB }

// New makes the service on a database.
func New(db *postgres.DB) *Service { return &Service{db: db} }

// ListQuery says which minutes, and which page of them. Nil filters let everything through.
type ListQuery struct {
	Page      int // from 1
	Limit     int
	CompanyID *uuid.UUID
	Processed *bool
}

// List gives a page of the account's minutes that the user sees, newest first, and whether another follows. NotFound or Forbidden
// where the account is not his.
func (s *Service) List(ctx context.Context, user, accountID uuid.UUID, q ListQuery) (rows []Minutes, hasNext bool, err error) {
	rows = []Minutes{}
	err = s.as(ctx, user, accountID, func(tx *postgres.Tx) error {
		query := tx.Where("account_id = ?", accountID)
		if q.CompanyID != nil {
			query = query.Where("company_id = ?", *q.CompanyID)
		}
		if q.Processed != nil {
			query = query.Where("processed = ?", *q.Processed)
		}
		err := query.Order("created_at DESC, id DESC").Limit(q.Limit + 1).Offset((q.Page - 1) * q.Limit).Find(&rows).Error
		if err != nil {
			return fmt.Errorf("list meeting minutes: %w", err)
		}
		return nil
	})
	if len(rows) > q.Limit {
		rows, hasNext = rows[:q.Limit], true
	}
	return rows, hasNext, err
}

// Get gives one of the account's minutes: NotFound where there is none or its company is hidden from the user.
func (s *Service) Get(ctx context.Context, user, accountID, id uuid.UUID) (Minutes, error) {
	var found Minutes
	err := s.as(ctx, user, accountID, func(tx *postgres.Tx) error { return load(tx.DB, accountID, id, &found) })
	return found, err
}

// as runs fn as the user once it is known that the account is his; NotFound or Forbidden where it is not.
func (s *Service) as(ctx context.Context, user, accountID uuid.UUID, fn func(*postgres.Tx) error) error {
	return s.db.As(ctx, user, account.ForMember(accountID, fn))
}

func load(tx *gorm.DB, accountID, id uuid.UUID, into *Minutes) error {
	err := tx.First(into, "account_id = ? AND id = ?", accountID, id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return fault.Missing()
	}
	if err != nil {
		return fmt.Errorf("load meeting minutes %s: %w", id, err)
	}
	return nil
}
