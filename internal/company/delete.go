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

// WorkPurge is the kind of work that removes the stored files of deleted companies and attachments.
const WorkPurge = "company.purge"

// purge is the input of a WorkPurge.
type purge struct {
	Keys []string `json:"keys"`
}

// Delete deletes a company with all that belongs to it, and records that in the activity. Its stored files are removed
// after the commit. It returns the same errors as Get, and the error of a check that postgres.Requiring set in ctx; the
// company is not deleted then.
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
		done := tx.Delete(&Company{}, "id = ?", id)
		if done.Error != nil {
			return fmt.Errorf("delete company %s: %w", id, done.Error)
		}
		if done.RowsAffected == 0 { // another transaction, for whose end the lock waited, hid the company from the user
			return whyNot(tx, id)
		}
		if err := activity.Record(tx, current.AccountID, activity.CompanyDeleted, deletion(current), nil); err != nil {
			return err
		}
		return s.RemoveFiles(tx, current, keys)
	})
}

// deletion returns the text by which the activity records a deletion. Every member of the account reads it, so it
// names only a company that all of them could see.
func deletion(c Company) string {
	if c.Visibility != VisibilityTeam {
		return "A company was deleted"
	}
	return "Company " + c.Name + " was deleted"
}

// RemoveAll deletes companies and returns their ids. It skips ids that are not companies of the account or that the
// transaction's user does not see. The caller must have locked their rows: a file that is added meanwhile would stay in
// storage. RemoveAll adds the work of removing their stored files, and records nothing in the activity.
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
		Kind: WorkPurge, Queue: work.Bulk, AccountID: accountID, MaxAttempts: work.PurgeAttempts, Input: input,
	})
}

// RemoveFiles removes stored files of company c after the transaction has committed. It also adds the work of removing
// them, in case this process ends before it could.
func (s *Service) RemoveFiles(tx *postgres.Tx, c Company, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	input, err := json.Marshal(purge{Keys: keys})
	if err != nil {
		return fmt.Errorf("encode the keys: %w", err)
	}
	err = s.work.Add(tx, work.Item{
		Kind: WorkPurge, Queue: work.Interactive, AccountID: c.AccountID, SubjectID: &c.ID, MaxAttempts: work.PurgeAttempts,
		Input: input,
	})
	if err != nil {
		return err
	}
	tx.AfterCommit(func(ctx context.Context) { s.uploads.Remove(ctx, keys...) })
	return nil
}

// Purge performs a claimed work item of the kind WorkPurge and marks it as done. A file that is gone already is not an
// error. A file that a row of the database still names is kept. After an error the work must be tried again.
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
