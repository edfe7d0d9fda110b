// Package pipeline keeps the statuses of an account's companies, which are the ordered stages of its pipeline, and the
// settings of its custom fields.
package pipeline

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// Status is a status that companies of an account can have. Two statuses may have the same name or the same rank.
type Status struct {
	ID          uuid.UUID
	AccountID   uuid.UUID
	Name        string
	Color       string // #RRGGBB
	Description *string
	Rank        int
	IsDefault   bool // the stage that clients preselect
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// TableName returns the name of the table, which gorm would not guess.
func (Status) TableName() string { return "company_statuses" }

// NewStatus is a status that a client creates. Without a color it gets DefaultColor. Without a rank it becomes the last
// one.
type NewStatus struct {
	Name        string
	Color       *string
	Description *string
	Rank        *int
}

// Most is the maximum number of statuses, and of fields, that are shown on a page.
const Most = 1000

// DefaultColor is the color of a status that is created without one.
const DefaultColor = "#64748B"

// Service keeps the statuses and the field settings. It is safe for concurrent use.
type Service struct {
	db    *postgres.DB
	color *regexp.Regexp
}

// New returns a service on a database.
func New(db *postgres.DB) *Service {
	return &Service{db: db, color: regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)}
}

// List returns a page of the account's statuses, by rank and then by creation, and the position where the next page
// begins, which is nil at the end. The error is NotFound if there is no such account, and Forbidden if the caller is
// not a member of it.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, page paging.Page,
) ([]Status, *paging.Position, error) {
	var statuses []Status
	err := account.Read(ctx, s.db, who, accountID, postgres.Found(s.db, &statuses, func(tx *gorm.DB) *gorm.DB {
		return page.Of(ranked("rank"))(tx.Where("account_id = ?", accountID)).Find(&[]Status{})
	}).Within(page))
	if err != nil {
		return nil, nil, fmt.Errorf("list statuses: %w", err)
	}
	statuses, next := paging.Cut(page, statuses,
		func(s *Status) paging.Position { return rankedAt(s.Rank, s.CreatedAt, s.ID) })
	return statuses, next, nil
}

// ranked returns the order of statuses or fields: by a column such as "rank", then by creation.
func ranked(column string) paging.Order {
	return paging.Order{
		Columns: []paging.Column{{SQL: column, Type: "integer"}, {SQL: "created_at", Type: "timestamptz"}},
	}
}

func rankedAt(rank int, created time.Time, id uuid.UUID) paging.Position {
	return paging.Position{Values: []string{strconv.Itoa(rank), paging.Moment(created)}, ID: id}
}

// Query returns a query that reads all statuses of an account into statuses, in their order; none if the caller is not
// a member of the account.
func Query(statuses *[]Status, accountID uuid.UUID) postgres.Query {
	return postgres.Rows(statuses, func(s *Status) []any {
		return []any{
			&s.ID, &s.AccountID, &s.Name, &s.Color, &s.Description, &s.Rank, &s.IsDefault, &s.CreatedAt, &s.UpdatedAt,
		}
	}, `SELECT id, account_id, name, color, description, rank, is_default, created_at, updated_at FROM company_statuses
		WHERE account_id = $1 ORDER BY rank, created_at, id`, accountID)
}

// Stages returns all statuses of an account in their order, never nil. The transaction must be of a member of the
// account, else there are none.
func Stages(tx *postgres.Tx, accountID uuid.UUID) ([]Status, error) {
	statuses := []Status{}
	if err := tx.Run(Query(&statuses, accountID)); err != nil {
		return nil, fmt.Errorf("list statuses: %w", err)
	}
	return statuses, nil
}

// Create adds a status. The error is InvalidBody if a member is invalid (see CheckNew), NotFound if there is no such
// account, and Forbidden if the user is not an owner or admin.
func (s *Service) Create(ctx context.Context, user, accountID uuid.UUID, in NewStatus) (Status, error) {
	status, err := s.read(in)
	if err != nil {
		return Status{}, err
	}
	status.ID, status.AccountID = uuid.New(), accountID
	err = s.db.Write(ctx, user, func(tx *postgres.Tx) error {
		if err := account.RequireAdmin(tx, accountID); err != nil {
			return err
		}
		if in.Rank == nil {
			err := tx.Raw("SELECT LEAST(COALESCE(max(rank), 0), ?) + 1 FROM company_statuses WHERE account_id = ?", lastButOne,
				accountID).Scan(&status.Rank).Error
			if err != nil {
				return fmt.Errorf("find the pipeline's end: %w", err)
			}
		}
		err := tx.Omit("CreatedAt", "UpdatedAt").Create(&status).Error
		tx.Made(status)
		return err
	})
	return status, err
}

// CheckNew returns InvalidBody, which names every invalid member, or nil.
func (s *Service) CheckNew(in NewStatus) error {
	_, err := s.read(in)
	return err
}

// read returns the status to store, without ID and AccountID, or InvalidBody, which names every invalid member. Without
// a rank in the request, Rank is 0, and the caller sets it.
func (s *Service) read(in NewStatus) (Status, error) {
	var c checks
	status := Status{Name: c.name(in.Name), Color: DefaultColor, Description: c.description(in.Description)}
	if in.Color != nil {
		status.Color = c.color(s.color, *in.Color)
	}
	if in.Rank != nil {
		status.Rank = c.order("rank", *in.Rank)
	}
	return status, c.err()
}
