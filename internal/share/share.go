// Package share keeps shared links, each of which shows a person without an account some companies of a team. A link is read as its
// maker: what he does not see any more, and every private company, is not on it.
package share

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/fault"
	"dealflow/internal/password"
	"dealflow/internal/postgres"
)

// Permissions of a company on a link: its deck alone; also its fields, but neither notes nor source content; also notes and attachments.
const (
	ViewDeck = "view_deck"
	View     = "view"
	Full     = "full"
)

// Link opens a page of companies to whoever has its code. The hash of its password is not part of it: see app_link_by_code in the
// migrations.
type Link struct {
	ID                uuid.UUID
	AccountID         uuid.UUID
	Name              *string
	Description       *string
	ShortCode         string
	PasswordProtected bool `gorm:"->"` // the database tells it by the hash
	ExpiresAt         *time.Time
	ViewCount         int64
	CreatedBy         uuid.UUID
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

// TableName is what gorm would not guess.
func (Link) TableName() string { return "shared_links" }

// Item is a company on a link.
type Item struct {
	AccountID   uuid.UUID
	LinkID      uuid.UUID
	CompanyID   uuid.UUID
	Permissions string
	Position    int
}

// TableName is what gorm would not guess.
func (Item) TableName() string { return "shared_link_companies" }

// Listed is a link with what a member sees of it.
type Listed struct {
	Link

	Active    bool     // the page opens: it has not expired, and its maker is still in the team
	Companies []Shared // those that the member sees, in the order in which they were given
}

// Shared is a company on a link, by its name.
type Shared struct {
	CompanyID   uuid.UUID
	CompanyName string
	Permissions string
}

// Deps are what the service is made of.
type Deps struct {
	DB      *postgres.DB
	Secrets [][]byte // the first signs who gave a link's password, all verify; at least one
	Now     func() time.Time
}

// Service makes shared links and opens them.
type Service struct {
	Deps

	passwords *password.Hasher
}

// New makes the service.
func New(deps Deps) *Service { return &Service{Deps: deps, passwords: password.New(0)} }

// as runs fn as the user once it is known that the account is his; NotFound or Forbidden where it is not.
func (s *Service) as(ctx context.Context, user, accountID uuid.UUID, fn func(*postgres.Tx) error) error {
	return s.DB.As(ctx, user, account.ForMember(accountID, fn))
}

// List gives the account's links that the user sees, newest first: all but those of others which show a company that he does not
// see. NotFound or Forbidden where the account is not his.
func (s *Service) List(ctx context.Context, user, accountID uuid.UUID) ([]Listed, error) {
	var links []Listed
	err := s.as(ctx, user, accountID, func(tx *postgres.Tx) error {
		var err error
		links, err = s.list(tx, accountID, nil)
		return err
	})
	return links, err
}

// Get gives one of the account's links: NotFound where there is none or the user does not see it.
func (s *Service) Get(ctx context.Context, user, accountID, id uuid.UUID) (Listed, error) {
	var link Listed
	err := s.as(ctx, user, accountID, func(tx *postgres.Tx) error {
		found, err := s.list(tx, accountID, &id)
		if err == nil && len(found) == 0 {
			return fault.Missing()
		}
		if err == nil {
			link = found[0]
		}
		return err
	})
	return link, err
}

// list gives the links, or the one with this id, in two queries.
func (s *Service) list(tx *postgres.Tx, accountID uuid.UUID, id *uuid.UUID) ([]Listed, error) {
	var rows []struct {
		Link

		MakerStays bool
	}
	var items []struct {
		LinkID uuid.UUID
		Shared
	}
	err := tx.Raw(`SELECT l.id, l.account_id, l.name, l.description, l.short_code, l.password_protected, l.expires_at, l.view_count, l.created_by,
			l.created_at, l.updated_at, m.user_id IS NOT NULL AS maker_stays
		FROM shared_links l LEFT JOIN memberships m ON m.account_id = l.account_id AND m.user_id = l.created_by
		WHERE l.account_id = ? AND (?::uuid IS NULL OR l.id = ?) ORDER BY l.created_at DESC, l.id DESC`, accountID, id, id).Scan(&rows).Error
	if err == nil {
		err = tx.Raw(`SELECT i.link_id, i.company_id, c.name AS company_name, i.permissions
			FROM shared_link_companies i JOIN companies c ON c.account_id = i.account_id AND c.id = i.company_id
			WHERE i.account_id = ? AND (?::uuid IS NULL OR i.link_id = ?) ORDER BY i.link_id, i.position`, accountID, id, id).Scan(&items).Error
	}
	if err != nil {
		return nil, fmt.Errorf("list shared links: %w", err)
	}
	companies := map[uuid.UUID][]Shared{}
	for _, item := range items {
		companies[item.LinkID] = append(companies[item.LinkID], item.Shared)
	}
	links := make([]Listed, len(rows))
	for i, row := range rows {
		links[i] = Listed{Link: row.Link, Active: row.MakerStays && !s.over(row.ExpiresAt), Companies: append([]Shared{}, companies[row.ID]...)}
	}
	return links, nil
}

// over tells whether a link has expired.
func (s *Service) over(expires *time.Time) bool { return expires != nil && !expires.After(s.Now()) }

// Delete revokes a link: its page is gone at once. It refuses as Get does.
func (s *Service) Delete(ctx context.Context, user, accountID, id uuid.UUID) error {
	return s.as(ctx, user, accountID, func(tx *postgres.Tx) error {
		done := tx.Exec("DELETE FROM shared_links WHERE account_id = ? AND id = ?", accountID, id)
		if done.Error != nil {
			return fmt.Errorf("delete shared link %s: %w", id, done.Error)
		}
		if done.RowsAffected == 0 {
			return fault.Missing()
		}
		return activity.Record(tx, accountID, activity.LinkDeleted, "A shared link was revoked", nil)
	})
}

// single turns no row into NotFound.
func single(found int64, err error, what string) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if found == 0 {
		return fault.Missing().Because(errors.New(what))
	}
	return nil
}
