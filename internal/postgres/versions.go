package postgres

import (
	"context"

	"github.com/google/uuid"
)

// Versions returns a function that reads the versions of rows by their ids; ids without a row are not in the map. The
// query has the ids as $1 and must return ids and versions. It runs in a transaction without a user (see AsNobody): it
// must call a SECURITY DEFINER function.
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
