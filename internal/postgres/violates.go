package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
)

// Violates reports whether the database refused a row because of the constraint with this name. It returns false for
// nil. An error that was translated to one of gorm is recognized too.
func Violates(err error, constraint string) bool {
	refused, found := errors.AsType[*pgconn.PgError](err)
	return found && refused.ConstraintName == constraint
}

// IsContention reports whether the transaction was rolled back only because of another one (a serialization failure or
// a deadlock), so that it may succeed when it is repeated. It is false for nil.
func IsContention(err error) bool {
	refused, found := errors.AsType[*pgconn.PgError](err)
	return found && (refused.Code == "40001" || refused.Code == "40P01")
}

// IsOutOfSight reports whether row security refused a row that the transaction's user wrote. Since what a user writes
// is checked before, this means that they lost sight of a company or account meanwhile: for example, by another
// transaction that ended while theirs waited for the lock of the company. It is false for nil.
func IsOutOfSight(err error) bool {
	refused, found := errors.AsType[*pgconn.PgError](err)
	return found && refused.Code == "42501" && refused.Routine == "ExecWithCheckOptions"
}

// IsRefused reports whether the database refused a value: a data exception, a violated constraint, or a limit of
// Postgres. It is false for nil.
func IsRefused(err error) bool {
	refused, found := errors.AsType[*pgconn.PgError](err)
	if !found {
		return errors.Is(err, gorm.ErrCheckConstraintViolated) || errors.Is(err, gorm.ErrForeignKeyViolated)
	}
	return refused.Code[:2] == "22" || refused.Code[:2] == "23" || refused.Code[:2] == "54"
}
