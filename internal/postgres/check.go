package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/pgconn"
)

// Check returns an error unless the service can safely run on this database: the migrations in files are applied, the
// login is not a superuser and does not bypass row security, the role of queries (dealflow_app) neither owns a table
// nor bypasses row security, and every table but goose's forces row security. The error says what to do.
func (db *DB) Check(ctx context.Context, files fs.FS) error {
	if err := db.CheckSchema(ctx, files); err != nil {
		return err
	}
	return db.checkRowSecurity(ctx)
}

// CheckSchema returns an error unless each migration in files was applied. A schema with further migrations is not an
// error, but files without a migration are one.
func (db *DB) CheckSchema(ctx context.Context, files fs.FS) error {
	provider, err := newProvider(db.std, files)
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	if len(sources) == 0 {
		return errors.New("this binary holds no migrations")
	}
	var versions []int64
	for _, source := range sources {
		versions = append(versions, source.Version)
	}
	var missing []int64
	err = db.AsNobody(ctx, func(tx *Tx) error {
		return tx.Run(Rows(&missing, func(version *int64) []any { return []any{version} }, `SELECT v FROM unnest($1::bigint[])
			AS v WHERE NOT EXISTS (SELECT 1 FROM goose_db_version WHERE version_id = v AND is_applied) ORDER BY v`, versions))
	})
	_, answered := errors.AsType[*pgconn.PgError](err)
	switch {
	case answered && !IsUnreachable(err):
		return fmt.Errorf("the database has no schema yet (run `dealflow migrate`): %w", err)
	case err != nil:
		return fmt.Errorf("read the version of the schema: %w", err)
	}
	if len(missing) > 0 {
		return fmt.Errorf("the database lacks migration %d, which this binary needs: run `dealflow migrate`", missing[0])
	}
	return nil
}

// checkRowSecurity returns an error if queries could avoid the row policies because of the login, the role dealflow_app
// or a table: see Check. The error says what to do.
func (db *DB) checkRowSecurity(ctx context.Context) error {
	return db.AsNobody(ctx, func(tx *Tx) error {
		var bypasses bool
		if err := tx.Raw("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user").
			Scan(&bypasses).Error; err != nil {
			return fmt.Errorf("read the role dealflow_app: %w", err)
		}
		if bypasses {
			return errors.New("the role dealflow_app bypasses row security: run ALTER ROLE dealflow_app NOSUPERUSER NOBYPASSRLS")
		}
		var login string
		err := tx.Raw("SELECT rolname FROM pg_roles WHERE rolname = session_user AND (rolsuper OR rolbypassrls)").
			Scan(&login).Error
		if err != nil {
			return fmt.Errorf("read the login: %w", err)
		}
		if login != "" {
			return fmt.Errorf("the login %s of DATABASE_URL is a superuser or bypasses row security: keep it for "+
				"MIGRATE_DATABASE_URL, and serve as another:\n"+
				"CREATE ROLE dealflow_login LOGIN PASSWORD '…' NOSUPERUSER NOBYPASSRLS;\nGRANT dealflow_app TO dealflow_login",
				login)
		}
		var open []string
		err = tx.Raw(`SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND c.relname <> 'goose_db_version'
			AND (pg_has_role(current_user, c.relowner, 'USAGE') OR NOT (c.relrowsecurity AND c.relforcerowsecurity))
			ORDER BY c.relname`).Scan(&open).Error
		if err != nil {
			return fmt.Errorf("read the tables: %w", err)
		}
		if len(open) > 0 {
			return fmt.Errorf(
				"row security does not hold for %v: dealflow_app must not own them, and each needs FORCE ROW LEVEL SECURITY", open,
			)
		}
		return nil
	})
}
