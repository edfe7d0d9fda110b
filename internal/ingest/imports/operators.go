package imports

import (
	"context"
	"fmt"

	"dealflow/internal/postgres"
)

// Watched is what operators see of an import. Not set are CreateCompanies, Batches, Written, WorkID, CreatedBy, SeenAt,
// UpdatedAt and Undo.
type Watched struct {
	Import

	AccountName string
}

// Everywhere returns the newest imports of all accounts, at most most of them. It does not check who calls it: the
// caller must show them only to operators.
func (s *Service) Everywhere(ctx context.Context, most int) ([]Watched, error) {
	var found []Watched
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_list_imports(?)", most).Scan(&found).Error
	})
	if err != nil {
		return nil, fmt.Errorf("list the imports of all accounts: %w", err)
	}
	return found, nil
}
