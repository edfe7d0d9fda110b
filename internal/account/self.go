package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// Joined is an account as one of its members sees it.
type Joined struct {
	Account

	Role string // the member's
}

// Accounts returns a page of the accounts that the caller is a member of, the oldest membership first, and the position
// where the next page begins, which is nil at the end.
func (s *Service) Accounts(
	ctx context.Context, who *postgres.Identity, page paging.Page,
) ([]Joined, *paging.Position, error) {
	var rows []joinedRow
	if err := s.db.Read(ctx, who, s.joined(&rows, page)); err != nil {
		return nil, nil, fmt.Errorf("list accounts: %w", err)
	}
	rows, next := paging.Cut(page, rows, func(j *joinedRow) paging.Position { return paging.At(j.JoinedAt, j.ID) })
	joined := make([]Joined, len(rows))
	for i, row := range rows {
		joined[i] = row.Joined
	}
	return joined, next, nil
}

// Self is a user as they see themselves.
type Self struct {
	User

	Accounts  []Joined // the oldest memberships, at most Most
	HasFactor bool     // a second factor is active
}

// Most is the largest number of accounts that Self returns.
const Most = 1000

// Self returns the caller with at most Most of their accounts. The error is NotFound if the user no longer exists.
func (s *Service) Self(ctx context.Context, who *postgres.Identity) (Self, error) {
	var users []User
	var rows []joinedRow
	var self Self
	err := s.db.Read(
		ctx, who,
		postgres.Found(s.db, &users, func(tx *gorm.DB) *gorm.DB { return tx.Where("id = app_user_id()").Find(&[]User{}) }),
		s.joined(&rows, paging.First(Most)),
		postgres.Value(
			&self.HasFactor,
			"SELECT EXISTS (SELECT 1 FROM second_factors WHERE user_id = app_user_id() AND confirmed_at IS NOT NULL)",
		),
	)
	if err != nil {
		return Self{}, fmt.Errorf("read the user: %w", err)
	}
	for _, row := range rows[:min(len(rows), Most)] {
		self.Accounts = append(self.Accounts, row.Joined)
	}
	self.User, err = postgres.One(users)
	return self, err
}

// UserByID returns a user, who must be the caller or share an account with the caller; otherwise the error is NotFound.
func (s *Service) UserByID(ctx context.Context, caller, id uuid.UUID) (User, error) {
	var found User
	err := s.db.As(ctx, caller, func(tx *postgres.Tx) error { return tx.First(&found, "id = ?", id).Error })
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return User{}, fault.NewNotFound()
	}
	return found, err
}

// joinedRow is Joined with the time at which the user became a member.
type joinedRow struct {
	Joined

	JoinedAt time.Time
}

// joined returns a query that reads a page of the caller's accounts into rows, and one more row if another page
// follows.
func (s *Service) joined(rows *[]joinedRow, page paging.Page) postgres.Query {
	order := paging.Order{Columns: []paging.Column{{SQL: "m.created_at", Type: "timestamptz"}}, ID: "a.id"}
	return postgres.Found(s.db, rows, func(tx *gorm.DB) *gorm.DB {
		return page.Of(order)(tx.Table("accounts a").Joins("JOIN memberships m ON m.account_id = a.id").
			Select("a.id, a.name, a.created_at, a.updated_at, m.role, m.created_at AS joined_at").Where(
			"m.user_id = app_user_id()",
		)).
			Find(&[]joinedRow{})
	})
}
