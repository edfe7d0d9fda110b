package pipeline

import (
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// Seed adds the statuses that each new account starts with, in the transaction that creates the account: see
// account.Service.Create.
func Seed(tx *postgres.Tx, accountID uuid.UUID) error {
	stages := []struct{ name, color string }{
		{"New", "#3B82F6"},
		{"Screening", "#6366F1"},
		{"First Meeting", "#8B5CF6"},
		{"Due Diligence", "#F59E0B"},
		{"Term Sheet", "#10B981"},
		{"Invested", "#22C55E"},
		{"Passed", "#EF4444"},
	}
	rows := make([]Status, len(stages))
	for i, stage := range stages {
		rows[i] = Status{
			ID: uuid.New(), AccountID: accountID, Name: stage.name, Color: stage.color, Rank: i + 1, IsDefault: i == 0,
		}
	}
	if err := tx.Omit("CreatedAt", "UpdatedAt").Create(&rows).Error; err != nil {
		return fmt.Errorf("seed the pipeline: %w", err)
	}
	return nil
}
