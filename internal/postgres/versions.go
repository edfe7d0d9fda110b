package postgres

import (
	"context"

	"github.com/google/uuid"
)

// Versions runs a query of ids and versions, whose $1 are the ids that are asked for, as nobody.
func (db *DB) Versions(ctx context.Context, query string, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	type row struct {
		id      uuid.UUID
		version string
	}
	var rows []row
	err := db.AsNobody(ctx, func(tx *Tx) error {
		return tx.Run(Rows(&rows, func(r *row) []any { return []any{&r.id, &r.version} }, query, ids))
	})
	found := map[uuid.UUID]string{}
	for _, r := range rows {
		found[r.id] = r.version
	}
	return found, err
}
