package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// Violates reports whether the database refused a row because of the constraint with this name.
func Violates(err error, constraint string) bool {
	refused, found := errors.AsType[*pgconn.PgError](err)
	return found && refused.ConstraintName == constraint
}
