package company

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/watch"
)

// NewWatcher returns a watcher of companies, with what is found of them, their files, and who sees them.
func NewWatcher(db *postgres.DB, log *slog.Logger) *watch.Watcher {
	return watch.New("companies", func(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
		found, err := db.Versions(ctx, "SELECT id, changed FROM app_company_changes($1)", ids)
		if err != nil {
			return nil, fmt.Errorf("look for changes of companies: %w", err)
		}
		return found, nil
	}, log)
}
