package company

import (
	"errors"
	"fmt"

	"gorm.io/gorm"

	"dealflow/internal/activity"
	"dealflow/internal/postgres"
)

// Insert stores a company and its files, and records in the activity that the company was added. The statements are
// sent with the next one of the transaction, or before it commits: see postgres.Tx.Later. If the account has no such
// status, the transaction then fails with NoStage.
func Insert(tx *postgres.Tx, company Company, files []File) error {
	tx.Put(company.insertion().Failing(func(err error) error {
		if errors.Is(err, gorm.ErrForeignKeyViolated) {
			return NoStage()
		}
		return err
	}))
	if len(files) > 0 {
		if err := tx.Later(func(db *gorm.DB) *gorm.DB { return db.Omit("CreatedAt", "UpdatedAt").Create(&files) },
			nil); err != nil {
			return fmt.Errorf("store the company's files: %w", err)
		}
	}
	return activity.Record(tx, company.AccountID, activity.CompanyAdded, Added(company.Name), &company.ID)
}
