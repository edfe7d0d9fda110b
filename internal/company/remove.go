package company

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/activity"
	"dealflow/internal/postgres"
	"dealflow/internal/slides"
	"dealflow/internal/work"
)

// WorkPurge is the kind of work that removes the stored files of what was deleted.
const WorkPurge = "company.purge"

const purgeAttempts = 20

// purge is what such a work row holds.
type purge struct {
	Keys []string `json:"keys"`
}

// Delete removes a company for good with everything that hangs on it, its stored files included. Refusals as of Get.
func (s *Service) Delete(ctx context.Context, user, id uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		current, err := Lock(tx, id) // from here on nobody adds a file
		if err != nil {
			return err
		}
		if err := postgres.Require(tx, func() (View, error) { return Load(tx, id) }); err != nil {
			return err
		}
		var keys []string
		err = tx.Model(&File{}).Where("company_id = ? AND storage_path IS NOT NULL", id).Pluck("storage_path", &keys).Error
		if err != nil {
			return fmt.Errorf("list the files of company %s: %w", id, err)
		}
		if err := tx.Delete(&Company{}, "id = ?", id).Error; err != nil {
			return fmt.Errorf("delete company %s: %w", id, err)
		}
		if err := activity.Record(tx, current.AccountID, activity.CompanyDeleted, deletion(current), nil); err != nil {
			return err
		}
		return s.RemoveFiles(tx, current, keys)
	})
}

// deletion returns what the history says of a deletion. Everybody in the team reads it, so that only what all of
// them could see is named.
func deletion(c Company) string {
	if c.Visibility != VisibilityTeam {
		return "A company was deleted"
	}
	return "Company " + c.Name + " was deleted"
}

// RemoveAll removes companies of an account that the transaction's user sees, and returns which. Their stored files go
// once the transaction is durable. Nothing is said of it in the activity.
func (s *Service) RemoveAll(tx *postgres.Tx, accountID uuid.UUID, ids []uuid.UUID) ([]uuid.UUID, error) {
	var keys []string
	err := tx.Model(&File{}).Where("company_id IN ? AND storage_path IS NOT NULL", ids).Pluck("storage_path", &keys).Error
	if err != nil {
		return nil, fmt.Errorf("list the files of companies: %w", err)
	}
	gone, err := tx.Returning("DELETE FROM companies WHERE account_id = $1 AND id = ANY ($2::uuid[]) RETURNING id",
		accountID,
		postgres.IDs(ids))
	if err != nil {
		return nil, fmt.Errorf("remove companies: %w", err)
	}
	if len(keys) == 0 {
		return gone, nil
	}
	input, err := json.Marshal(purge{Keys: keys})
	if err != nil {
		return nil, fmt.Errorf("encode the keys: %w", err)
	}
	return gone, s.work.Add(tx, work.Item{
		Kind: WorkPurge, Queue: work.Bulk, AccountID: accountID, MaxAttempts: purgeAttempts, Input: input,
	})
}

// RemoveFiles removes stored files once the transaction is durable. The work row sees to it where this process ends
// before it could.
func (s *Service) RemoveFiles(tx *postgres.Tx, c Company, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	input, err := json.Marshal(purge{Keys: keys})
	if err != nil {
		return fmt.Errorf("encode the keys: %w", err)
	}
	err = s.work.Add(tx, work.Item{
		Kind: WorkPurge, Queue: work.Interactive, AccountID: c.AccountID, SubjectID: &c.ID, MaxAttempts: purgeAttempts,
		Input: input,
	})
	if err != nil {
		return err
	}
	tx.AfterCommit(func(ctx context.Context) { s.uploads.Remove(ctx, keys...) })
	return nil
}

// Purge does a claimed WorkPurge and finishes it. What is gone already is no error; what a row names is left alone.
func (s *Service) Purge(ctx context.Context, item work.Item) error {
	var todo purge
	if err := json.Unmarshal(item.Input, &todo); err != nil {
		return fmt.Errorf("read what to remove: %w", err)
	}
	var unneeded []string
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_unneeded_files(?::text[])", postgres.Strings(todo.Keys)).Scan(&unneeded).Error
	})
	if err != nil {
		return fmt.Errorf("look for who needs the files: %w", err)
	}
	if err := s.blobs.Delete(ctx, unneeded...); err != nil {
		return err
	}
	if err := slides.Forget(ctx, s.blobs, unneeded...); err != nil {
		return err
	}
	return s.db.As(ctx, item.UserID, func(tx *postgres.Tx) error { return work.Finish(tx, item, nil) })
}
