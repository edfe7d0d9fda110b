package company

import (
	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// Stages returns the set of those of the ids that are statuses of the account. The transaction's user must be a member
// of it, else the set is empty. It does not lock the statuses, because row security lets only owners and admins lock
// them: if one is deleted before it is set on a company, the database refuses the company.
func Stages(tx *postgres.Tx, accountID uuid.UUID, ids ...uuid.UUID) (map[uuid.UUID]bool, error) {
	known := map[uuid.UUID]bool{}
	if len(ids) == 0 {
		return known, nil
	}
	var found []uuid.UUID
	err := tx.Raw("SELECT id FROM company_statuses WHERE account_id = ? AND id IN ?", accountID, ids).
		Scan(&found).Error
	for _, id := range found {
		known[id] = true
	}
	return known, err
}

// NoStage returns the InvalidBody error for a company_status_id that is not a status of the account.
func NoStage() error { return fault.Field("company_status_id", "is no status of this account") }

// stageOf returns a query that reads the account's status with this id into stages, which must be empty. The query
// fails with NoStage if there is none.
func stageOf(stages *[]pipeline.Status, accountID, id uuid.UUID) postgres.Query {
	return postgres.Rows(stages, func(s *pipeline.Status) []any {
		return []any{&s.ID, &s.AccountID, &s.Name, &s.Color, &s.Rank}
	},
		"SELECT id, account_id, name, color, rank FROM company_statuses WHERE account_id = $1 AND id = $2", accountID, id).
		Then(func() error { return isStage(len(*stages) > 0) })
}

// IsStatus returns a query that fails with NoStage if the account has no such status.
func IsStatus(accountID, id uuid.UUID) postgres.Query {
	var found bool
	return postgres.Value(&found, "SELECT EXISTS (SELECT 1 FROM company_statuses WHERE account_id = $1 AND id = $2)",
		accountID, id).
		Then(func() error { return isStage(found) })
}

func isStage(found bool) error {
	if !found {
		return NoStage()
	}
	return nil
}

func requireStatus(tx *postgres.Tx, accountID, statusID uuid.UUID) error {
	return tx.Run(IsStatus(accountID, statusID))
}

func same(a, b *uuid.UUID) bool { return a == b || a != nil && b != nil && *a == *b }
