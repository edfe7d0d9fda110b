package company

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/activity"
	"dealflow/internal/postgres"
)

// History returns the latest entries of the activity of a company, the newest first. most is the maximum number of
// entries. It returns the same errors as Get.
func (s *Service) History(
	ctx context.Context, who *postgres.Identity, id uuid.UUID, most int,
) (done []activity.NamedEntry, err error) {
	err = s.db.Read(ctx, who, Seen(id), postgres.Found(s.db, &done, func(db *gorm.DB) *gorm.DB {
		return db.Table("activity a").Joins("LEFT JOIN users u ON u.id = a.user_id").
			Select("a.*, COALESCE(u.name, '') AS user_name").
			Where("a.company_id = ?", id).Order("a.created_at DESC, a.id DESC").Limit(most).Find(&[]activity.NamedEntry{})
	}))
	if err != nil {
		return nil, fmt.Errorf("read the history of company %s: %w", id, err)
	}
	return done, nil
}

func recordMove(tx *postgres.Tx, c Company, to *uuid.UUID) error {
	names, err := StageNames(tx, c.CompanyStatusID, to)
	if err != nil {
		return err
	}
	return RecordMoveBetween(tx, c, names)
}

// RecordMoveBetween records in the activity that a company moved from the status names[0] to the status names[1]. A nil
// name means no status.
func RecordMoveBetween(tx *postgres.Tx, c Company, names [2]*string) error {
	return activity.Record(tx, c.AccountID, activity.StatusChanged, moved(c.Name, names[0], names[1]), &c.ID)
}

// Added returns the text of the activity of an added company, such as "Company Acme was added".
func Added(name string) string { return "Company " + name + " was added" }

// moved returns the text of an activity such as "Company Acme moved from New to Won". For a nil status it writes "no
// status".
func moved(name string, from, to *string) string {
	return fmt.Sprintf("Company %s moved from %s to %s", name, word(from), word(to))
}

// StageNames returns the names of two statuses. A name is nil if the id is nil or there is no such status.
func StageNames(tx *postgres.Tx, from, to *uuid.UUID) (names [2]*string, err error) {
	var found []*string
	const query = `SELECT ARRAY[(SELECT name FROM company_statuses WHERE id = $1), (SELECT name FROM company_statuses
		WHERE id = $2)]`
	if err := tx.Run(postgres.Value(&found, query, from, to)); err != nil {
		return names, fmt.Errorf("load the names of stages: %w", err)
	}
	copy(names[:], found)
	return names, nil
}

func word(status *string) string {
	if status == nil {
		return "no status"
	}
	return *status
}
