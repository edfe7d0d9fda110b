package company

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// RequireVisible returns InvalidBody for the field unless the transaction's user sees each of the ids as a company of
// the account. The companies cannot be deleted or changed until the transaction ends.
func RequireVisible(tx *postgres.Tx, accountID uuid.UUID, field string, ids ...uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	seen, err := Visible(tx, accountID, ids...)
	if err != nil {
		return fmt.Errorf("look for the companies of %s: %w", field, err)
	}
	for _, id := range ids {
		if !seen[id] {
			return fault.Field(field, fmt.Sprintf("%s is no company of this account", id))
		}
	}
	return nil
}

// Visible returns the set of those of the ids that the transaction's user sees as companies of the account. These
// companies cannot be deleted or changed until the transaction ends.
func Visible(tx *postgres.Tx, accountID uuid.UUID, ids ...uuid.UUID) (map[uuid.UUID]bool, error) {
	seen := map[uuid.UUID]bool{}
	if len(ids) == 0 {
		return seen, nil
	}
	var found []uuid.UUID
	err := tx.Raw("SELECT id FROM companies WHERE account_id = ? AND id IN ? ORDER BY id FOR SHARE", accountID, ids).
		Scan(&found).Error
	for _, id := range found {
		seen[id] = true
	}
	return seen, err
}

// MetadataFault returns InvalidBody for metadata if err is the violation of a check constraint, and any other error
// unchanged. It is for statements that violate a check constraint only if the metadata is too large.
func MetadataFault(err error) error {
	if errors.Is(err, gorm.ErrCheckConstraintViolated) {
		return fault.Field("metadata", "is too large, with what is there already").Because(err)
	}
	return err
}
