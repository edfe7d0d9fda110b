package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// StatusChange is a change of a status. A nil member changes nothing.
type StatusChange struct {
	Name        *string
	Color       *string
	Description **string // a pointer to nil clears it
	Rank        *int
	IsDefault   *bool // true: the stage that was the default no longer is
}

// Change changes a status and returns the changed status. If all members are nil, it writes nothing. The error is
// InvalidBody if a member is invalid (see CheckChange), NotFound if there is no such account or status, and Forbidden
// if the user is not an owner or admin.
func (s *Service) Change(ctx context.Context, user, accountID, id uuid.UUID, in StatusChange) (Status, error) {
	columns, err := s.columns(in)
	if err != nil {
		return Status{}, err
	}
	var changed Status
	err = s.db.As(ctx, user, func(tx *postgres.Tx) error {
		if changed, err = lockStatus(tx, accountID, id); err != nil || len(columns) == 0 {
			return err
		}
		if in.IsDefault != nil && *in.IsDefault {
			if err := unmarkDefault(tx, accountID, id); err != nil {
				return err
			}
		}
		if err := tx.Model(&changed).Where("account_id = ?", accountID).Updates(columns).Error; err != nil {
			return fmt.Errorf("change status: %w", err)
		}
		return tx.First(&changed, "account_id = ? AND id = ?", accountID, id).Error
	})
	return changed, err
}

// CheckChange returns InvalidBody, which names every invalid member, or nil.
func (s *Service) CheckChange(in StatusChange) error {
	_, err := s.columns(in)
	return err
}

// columns returns the values to store, by the names of their columns, or InvalidBody, which names every invalid member.
func (s *Service) columns(in StatusChange) (map[string]any, error) {
	var c checks
	columns := map[string]any{}
	if in.Name != nil {
		columns["name"] = c.name(*in.Name)
	}
	if in.Color != nil {
		columns["color"] = c.color(s.color, *in.Color)
	}
	if in.Description != nil {
		columns["description"] = c.description(*in.Description)
	}
	if in.Rank != nil {
		columns["rank"] = c.order("rank", *in.Rank)
	}
	if in.IsDefault != nil {
		columns["is_default"] = *in.IsDefault
	}
	return columns, c.err()
}

// lockStatus locks the account by account.LockAsAdmin, then a status, and returns the status: until the transaction
// ends, nobody else can change it, delete it or set it on a company. The error is NotFound if the account has no such
// status, or that of account.LockAsAdmin.
func lockStatus(tx *postgres.Tx, accountID, id uuid.UUID) (Status, error) {
	if _, err := account.LockAsAdmin(tx, accountID); err != nil {
		return Status{}, err
	}
	var found Status
	got := tx.Raw("SELECT * FROM company_statuses WHERE account_id = ? AND id = ? FOR UPDATE", accountID, id).Scan(&found)
	if got.Error != nil {
		return Status{}, fmt.Errorf("read status: %w", got.Error)
	}
	if got.RowsAffected == 0 {
		return Status{}, fault.NewNotFound()
	}
	return found, nil
}

func unmarkDefault(tx *postgres.Tx, accountID, but uuid.UUID) error {
	err := tx.Exec(
		"UPDATE company_statuses SET is_default = false, updated_at = now() WHERE account_id = ? AND is_default AND id <> ?",
		accountID, but,
	).Error
	if err != nil {
		return fmt.Errorf("unmark the default status: %w", err)
	}
	return nil
}

// Delete deletes a status. If moveTo is not nil, Delete first sets the status moveTo on all companies that have the
// deleted status, including companies that the caller does not see, and records that in the activity of those that the
// caller sees. The error is NotFound if there is no such account or status, Forbidden if the user is not an owner or
// admin, and InvalidQuery if moveTo is not another status of the account. Without moveTo it is Conflict if any company
// has the status.
func (s *Service) Delete(ctx context.Context, user, accountID, id uuid.UUID, moveTo *uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		status, err := lockStatus(tx, accountID, id)
		if err != nil {
			return err
		}
		if moveTo != nil {
			if err := moveCompanies(tx, status, *moveTo); err != nil {
				return err
			}
		}
		err = tx.Exec("DELETE FROM company_statuses WHERE account_id = ? AND id = ?", accountID, id).Error
		if errors.Is(err, gorm.ErrForeignKeyViolated) { // row security hides companies from us, never from a foreign key
			return fault.New(fault.Conflict, "status_in_use",
				fault.Detail{Field: "move_to", Message: "companies have this status: name another to move them to"})
		}
		if err != nil {
			return fmt.Errorf("delete status: %w", err)
		}
		return nil
	})
}

// moveCompanies sets the status moveTo on all companies that have the status from. The transaction must have locked
// from. It records an activity for each company that the caller sees. The error is InvalidQuery if moveTo is from or no
// status of the account.
func moveCompanies(tx *postgres.Tx, from Status, moveTo uuid.UUID) error {
	var to Status
	got := tx.Raw("SELECT * FROM company_statuses WHERE account_id = ? AND id = ? FOR KEY SHARE", from.AccountID, moveTo).
		Scan(&to)
	if got.Error != nil {
		return fmt.Errorf("read the other status: %w", got.Error)
	}
	if got.RowsAffected == 0 || to.ID == from.ID {
		return fault.Query("move_to", "must be another status of this account")
	}
	// The stage is locked, so that no company gets it between the two statements.
	err := tx.Exec(`INSERT INTO activity (id, account_id, user_id, type, description, company_id)
		SELECT gen_random_uuid(), c.account_id, ?, ?, 'Company ' || c.name || ' moved from ' || ?::text || ' to ' ||
			?::text, c.id
		FROM companies c WHERE c.account_id = ? AND c.company_status_id = ?`,
		tx.UserID(), activity.StatusChanged, from.Name, to.Name, from.AccountID, from.ID).Error
	if err != nil {
		return fmt.Errorf("record the move: %w", err)
	}
	if err := tx.Exec("SELECT app_move_companies(?, ?, ?)", from.AccountID, from.ID, to.ID).Error; err != nil {
		return fmt.Errorf("move the companies: %w", err)
	}
	return nil
}
