// Package form keeps form submissions: answers to a questionnaire, entered by hand or received by an integration.
// Submissions about a company are seen by those who see the company, all others by every member of the account.
package form

import (
	"cmp"
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

// Types of submissions: sent by Tally, sent by Typeform, or entered by hand. See Tools.
const (
	IntegrationA = "integration_a"
	IntegrationB = "integration_b"
	Manual       = "manual"
)

// Submission is one filled-in form.
type Submission struct {
	ID              uuid.UUID
	AccountID       uuid.UUID
	Data            json.RawMessage // an array of answers, exactly as it was sent
	CompanyID       *uuid.UUID
	IntegrationType string
	ExternalID      *string         // by which the integration knows it; unique among those of an account and integration
	Metadata        json.RawMessage // an object
	Processed       bool
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// TableName returns the name of the table, which gorm would not guess.
func (Submission) TableName() string { return "form_submissions" }

// Service stores and reads form submissions. It is safe for concurrent use.
type Service struct{ db *postgres.DB }

// New returns the service on a database.
func New(db *postgres.DB) *Service { return &Service{db: db} }

// SortBy is the column that a list is ordered by.
type SortBy string

// The columns that lists are ordered by.
const (
	ByCreation SortBy = "created_at"
	ByChange   SortBy = "updated_at"
)

// ListQuery selects submissions, and a page of them. A nil or empty filter selects all. UpdatedSince selects those that
// were added or changed at this time or later.
type ListQuery struct {
	paging.Page

	SortBy          SortBy // empty: ByCreation
	Ascending       bool
	CompanyID       *uuid.UUID
	Processed       *bool
	IntegrationType string
	UpdatedSince    *time.Time
}

// List returns a page of the account's submissions that the caller sees, the position where the next page begins, which
// is nil at the end, and how many submissions there are on all pages. The error is NotFound if there is no such
// account, and Forbidden if the caller is not a member of it.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, q ListQuery,
) (rows []Submission, next *paging.Position, total int64, err error) {
	count := "SELECT app_count_submissions($1, $2, $3, $4, $5)"
	err = account.Read(
		ctx, s.db, who, accountID,
		postgres.Value(&total, count, accountID, q.CompanyID, q.Processed, q.integration(), q.UpdatedSince),
		postgres.Found(s.db, &rows, func(tx *gorm.DB) *gorm.DB {
			return q.Of(q.order())(q.filter(tx, accountID)).Find(&[]Submission{})
		}).Within(q.Page),
	)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("list form submissions: %w", err)
	}
	rows, next = paging.Cut(q.Page, rows, q.position)
	return rows, next, total, nil
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
	if q.UpdatedSince != nil {
		tx = tx.Where("updated_at >= ?", *q.UpdatedSince)
	}
	return tx
}

// integration returns the type to filter by, or nil for all.
func (q ListQuery) integration() *string {
	if q.IntegrationType == "" {
		return nil
	}
	return &q.IntegrationType
}

func (q ListQuery) order() paging.Order {
	return paging.Order{
		Columns:    []paging.Column{{SQL: string(cmp.Or(q.SortBy, ByCreation)), Type: "timestamptz"}},
		Descending: !q.Ascending,
	}
}

func (q ListQuery) position(s *Submission) paging.Position {
	if q.SortBy == ByChange {
		return paging.At(s.UpdatedAt, s.ID)
	}
	return paging.At(s.CreatedAt, s.ID)
}

// Get returns one of the account's submissions. The error is NotFound if there is no such account, the account has no
// such submission, or its company is hidden from the caller; Forbidden if the caller is not a member of the account.
func (s *Service) Get(ctx context.Context, who *postgres.Identity, accountID, id uuid.UUID) (Submission, error) {
	var rows []Submission
	err := account.Read(ctx, s.db, who, accountID, postgres.Found(s.db, &rows, func(tx *gorm.DB) *gorm.DB {
		return tx.Where("account_id = ? AND id = ?", accountID, id).Find(&[]Submission{})
	}))
	if err != nil {
		return Submission{}, fmt.Errorf("read form submission %s: %w", id, err)
	}
	return postgres.One(rows)
}

func load(tx *gorm.DB, accountID, id uuid.UUID, into *Submission) error {
	err := tx.First(into, "account_id = ? AND id = ?", accountID, id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return fault.NewNotFound()
	}
	if err != nil {
		return fmt.Errorf("load form submission %s: %w", id, err)
	}
	return nil
}
