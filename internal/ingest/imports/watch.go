package imports

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/watch"
)

// NewWatcher returns a watcher of imports.
func NewWatcher(db *postgres.DB, log *slog.Logger) *watch.Watcher {
	return watch.New("imports", func(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
		found, err := db.Versions(ctx, "SELECT id, changed FROM app_import_changes($1)", ids)
		if err != nil {
			return nil, fmt.Errorf("look for changes of imports: %w", err)
		}
		return found, nil
	}, log)
}
