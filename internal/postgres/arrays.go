package postgres

import (
	"database/sql"
	"fmt"

	"github.com/google/uuid"
)

// Returning runs a statement that returns one column of uuids, and returns these; nil if there are none. Slices among
// the arguments become arrays, so that a thousand rows need only a few parameters ($1, $2 …). Elements may be strings,
// pointers to strings, numbers, booleans or times. Errors of the database are not translated to those of gorm.
func (tx *Tx) Returning(statement string, args ...any) ([]uuid.UUID, error) {
	rows, err := tx.Statement.ConnPool.QueryContext(tx.Statement.Context, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return scanIDs(rows)
}

// IDs returns ids as strings, for the arguments of Returning and Do.
func IDs(ids []uuid.UUID) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return texts
}

func scanIDs(rows *sql.Rows) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	for rows.Next() {
		var id uuid.UUID
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("read a returned id: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
