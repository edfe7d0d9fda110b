package company

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// Share lets a member of the company's account see the company while its visibility is shared, and returns that member.
// Sharing twice is not an error. It returns the same errors as Get, and InvalidBody if the user is not a member of the
// account.
func (s *Service) Share(ctx context.Context, user, id, with uuid.UUID) (account.User, error) {
	var person account.User
	err := s.db.Write(ctx, user, func(tx *postgres.Tx) error {
		current, err := Lock(tx, id)
		if err != nil {
			return err
		}
		if err := requireMembers(tx, current.AccountID, "user_id", []uuid.UUID{with}); err != nil {
			return err
		}
		if err := share(tx, current, with); err != nil {
			return err
		}
		err = tx.First(&person, "id = ?", with).Error
		tx.Made(person)
		return err
	})
	return person, err
}

func share(tx *postgres.Tx, c Company, with uuid.UUID) error {
	err := tx.Exec("INSERT INTO company_shares (company_id, account_id, user_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		c.ID, c.AccountID, with).Error
	if err != nil {
		return memberGone(err, "user_id")
	}
	return nil
}

// Unshare ends the sharing of a company with a user. If nobody would see the company after that, an owner becomes its
// creator: see keepSeen. It returns the same errors as Get, and NotFound if the company is not shared with that user.
func (s *Service) Unshare(ctx context.Context, user, id, with uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		if _, err := Lock(tx, id); err != nil {
			return err
		}
		done := tx.Exec("DELETE FROM company_shares WHERE company_id = ? AND user_id = ?", id, with)
		if done.Error == nil && done.RowsAffected == 0 {
			return fault.NewNotFound()
		}
		if done.Error != nil {
			return fmt.Errorf("end the sharing: %w", done.Error)
		}
		return keepSeen(tx, id)
	})
}

// keepSeen makes an owner, the one who joined the account first, the creator of each of these companies that nobody
// would see otherwise: its visibility is "shared", its creator has left the account, and it has no assignee and is
// shared with nobody. The transaction must have locked the rows of all of the companies.
func keepSeen(tx *postgres.Tx, companies ...uuid.UUID) error {
	if err := tx.Run(postgres.Do("SELECT app_keep_companies_seen($1)", companies)); err != nil {
		return fmt.Errorf("keep the companies seen: %w", err)
	}
	return nil
}

// Shares returns a page of the users with whom a company is shared, in the order in which that was done, and where the
// next page begins; nil at the end. Of the users, only ID, Email, Name and PictureURL are set. It returns the same
// errors as Get.
func (s *Service) Shares(
	ctx context.Context, who *postgres.Identity, id uuid.UUID, page paging.Page,
) ([]account.User, *paging.Position, error) {
	order := paging.Order{Columns: []paging.Column{{SQL: "s.created_at", Type: "timestamptz"}}, ID: "u.id"}
	var rows []sharedWith
	err := s.db.Read(ctx, who, Seen(id), postgres.Found(s.db, &rows, func(tx *gorm.DB) *gorm.DB {
		return page.Of(order)(tx.Table("company_shares s").Joins("JOIN users u ON u.id = s.user_id").
			Select("u.id, u.email, u.name, u.picture_url, s.created_at AS shared_at").Where("s.company_id = ?",
			id)).Find(&[]sharedWith{})
	}))
	if err != nil {
		return nil, nil, fmt.Errorf("list the shares of company %s: %w", id, err)
	}
	rows, next := paging.Cut(page, rows, func(s *sharedWith) paging.Position { return paging.At(s.SharedAt, s.ID) })
	people := make([]account.User, len(rows))
	for i, row := range rows {
		people[i] = row.User
	}
	return people, next, nil
}

// sharedWith is a user with whom a company is shared, and since when.
type sharedWith struct {
	account.User

	SharedAt time.Time
}

// Seen returns a query that fails with the error of Get if the user who runs it does not see the company.
func Seen(id uuid.UUID) postgres.Query {
	var access *string
	return accessQuery(&access, id).Then(func() error {
		if access == nil || *access != "visible" {
			return unseen(access)
		}
		return nil
	})
}
