// Package form keeps form submissions: answers to a questionnaire, written by hand or brought by an integration. Those about a
// company are seen by whoever sees the company, the others by every member.
package form

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Where submissions come from. The first two stand for Tally and Typeform.
const (
	IntegrationA = "integration_a"
	IntegrationB = "integration_b"
	Manual       = "manual"
)

// Submission is one filled-in form.
type Submission struct {
	ID              uuid.UUID
	AccountID       uuid.UUID
	Data            json.RawMessage // an array of answers, to the letter as it was sent
	CompanyID       *uuid.UUID
	IntegrationType string
	ExternalID      *string         // what the integration calls it; no two of an account and integration share one
	Metadata        json.RawMessage // an object
	Processed       bool
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// TableName is what gorm would not guess.
func (Submission) TableName() string { return "form_submissions" }

// Service keeps the submissions.
type Service struct{ db *postgres.DB }

// New makes the service on a database.
func New(db *postgres.DB) *Service { return &Service{db: db} }

// SortBy is the column that a list is ordered by.
type SortBy string

// The columns that lists are ordered by.
const (
	ByCreation SortBy = "created_at"
	ByChange   SortBy = "updated_at"
)

// ListQuery says which submissions, and which page of them. Nil and empty filters let everything through.
type ListQuery struct {
	Page            int // from 1
	Limit           int
	SortBy          SortBy // empty: ByCreation
	Ascending       bool
	CompanyID       *uuid.UUID
	Processed       *bool
	IntegrationType string
}

// List gives a page of the account's submissions that the user sees, and how many there are on all pages. NotFound or Forbidden
// where the account is not his.
func (s *Service) List(ctx context.Context, user, accountID uuid.UUID, q ListQuery) (rows []Submission, total int64, err error) {
	rows = []Submission{}
	err = s.as(ctx, user, accountID, func(tx *postgres.Tx) error {
		err := tx.Raw("SELECT app_count_submissions(?, ?, ?, ?)", accountID, q.CompanyID, q.Processed, q.integration()).Scan(&total).Error
		if err != nil {
			return fmt.Errorf("count form submissions: %w", err)
		}
		err = q.filter(tx.DB, accountID).Clauses(q.order()).Limit(q.Limit).Offset((q.Page - 1) * q.Limit).Find(&rows).Error
		if err != nil {
			return fmt.Errorf("list form submissions: %w", err)
		}
		return nil
	})
	return rows, total, err
}

func (q ListQuery) filter(tx *gorm.DB, accountID uuid.UUID) *gorm.DB {
	tx = tx.Where("account_id = ?", accountID)
	if q.CompanyID != nil {
		tx = tx.Where("company_id = ?", *q.CompanyID)
	}
	if q.Processed != nil {
		tx = tx.Where("processed = ?", *q.Processed)
	}
	if q.IntegrationType != "" {
		tx = tx.Where("integration_type = ?", q.IntegrationType)
	}
	return tx
}

// integration is nil where the filter lets everything through.
func (q ListQuery) integration() *string {
	if q.IntegrationType == "" {
		return nil
	}
	return &q.IntegrationType
}

func (q ListQuery) order() clause.OrderBy {
	column := q.SortBy
	if column == "" {
		column = ByCreation
	}
	return clause.OrderBy{Columns: []clause.OrderByColumn{
		{Column: clause.Column{Name: string(column)}, Desc: !q.Ascending}, {Column: clause.Column{Name: "id"}, Desc: !q.Ascending},
	}}
}

// Get gives one of the account's submissions: NotFound where there is none or its company is hidden from the user.
func (s *Service) Get(ctx context.Context, user, accountID, id uuid.UUID) (Submission, error) {
	var found Submission
	err := s.as(ctx, user, accountID, func(tx *postgres.Tx) error { return load(tx.DB, accountID, id, &found) })
	return found, err
}

// as runs fn as the user once it is known that the account is his; NotFound or Forbidden where it is not.
func (s *Service) as(ctx context.Context, user, accountID uuid.UUID, fn func(*postgres.Tx) error) error {
	return s.db.As(ctx, user, account.ForMember(accountID, fn))
}

func load(tx *gorm.DB, accountID, id uuid.UUID, into *Submission) error {
	err := tx.First(into, "account_id = ? AND id = ?", accountID, id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return fault.Missing()
	}
	if err != nil {
		return fmt.Errorf("load form submission %s: %w", id, err)
	}
	return nil
}
