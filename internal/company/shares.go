package company

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Share lets a member of the company's account see it while its visibility is shared, and gives him; sharing twice is no error. Refusals as of
// Get; InvalidBody for somebody outside the account.
func (s *Service) Share(ctx context.Context, user, id, with uuid.UUID) (account.User, error) {
	var person account.User
	err := s.DB.Write(ctx, user, func(tx *postgres.Tx) error {
		current, err := lock(tx, id)
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
	err := tx.Exec("INSERT INTO company_shares (company_id, account_id, user_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", c.ID, c.AccountID, with).Error
	if err != nil {
		return memberGone(err, "user_id")
	}
	return nil
}

// Unshare takes a share back. Refusals as of Get; NotFound also where the company is not shared with that user.
func (s *Service) Unshare(ctx context.Context, user, id, with uuid.UUID) error {
	return s.DB.As(ctx, user, func(tx *postgres.Tx) error {
		if _, err := lock(tx, id); err != nil {
			return err
		}
		done := tx.Exec("DELETE FROM company_shares WHERE company_id = ? AND user_id = ?", id, with)
		if done.Error == nil && done.RowsAffected == 0 {
			return fault.Missing()
		}
		return done.Error
	})
}

// Shares lists with whom a company is shared, in the order in which it was. Refusals as of Get.
func (s *Service) Shares(ctx context.Context, user, id uuid.UUID) ([]account.User, error) {
	people := []account.User{}
	err := s.DB.As(ctx, user, func(tx *postgres.Tx) error {
		if err := seen(tx, id); err != nil {
			return err
		}
		return tx.Raw(`SELECT u.id, u.email, u.name, u.picture_url, u.created_at, u.updated_at
			FROM company_shares s JOIN users u ON u.id = s.user_id WHERE s.company_id = ? ORDER BY s.created_at, u.id`, id).Scan(&people).Error
	})
	return people, err
}

// seen refuses a company that the transaction's user does not see.
func seen(tx *postgres.Tx, id uuid.UUID) error {
	var found bool
	if err := tx.Raw("SELECT EXISTS (SELECT 1 FROM companies WHERE id = ?)", id).Scan(&found).Error; err != nil {
		return fmt.Errorf("look for company %s: %w", id, err)
	}
	if !found {
		return whyNot(tx, id)
	}
	return nil
}
