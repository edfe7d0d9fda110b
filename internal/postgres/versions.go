package postgres

import (
	"context"

	"github.com/google/uuid"
)

// Versions returns a function that returns the versions of rows by their ids. It runs the query, which must return ids
// and versions and has the wanted ids as $1, as nobody.
func (db *DB) Versions(query string) func(context.Context, []uuid.UUID) (map[uuid.UUID]string, error) {
	return func(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
		return db.versions(ctx, query, ids)
	}
}

func (db *DB) versions(ctx context.Context, query string, ids []uuid.UUID) (map[uuid.UUID]string, error) {
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
