package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

const insufficientPrivilege = "42501"

// MigrateOptions say who migrates and for whom.
type MigrateOptions struct {
	URL    string // as whom the schema is made; this login owns the tables
	AppURL string // as whom the service logs in later; empty: the same
	Files  fs.FS  // goose SQL files
}

// Migrate makes the two roles and brings the schema up to the newest migration, under a lock that other migrators
// wait for. It returns the version reached. Where the login may not make roles, the error holds the SQL that an
// administrator must run.
func Migrate(ctx context.Context, opts MigrateOptions) (int64, error) {
	pool, login, err := openForMigration(ctx, opts)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	if err := makeRoles(ctx, pool, login); err != nil {
		return 0, err
	}
	provider, err := newProvider(pool, opts.Files)
	if err != nil {
		return 0, err
	}
	unlock, err := lockMigrations(ctx, pool)
	if err != nil {
		return 0, err
	}
	defer unlock()
	if _, err := provider.Up(ctx); err != nil {
		return 0, fmt.Errorf("migrate: %w", err)
	}
	return provider.GetDBVersion(ctx)
}

// lockMigrations waits until no other migrator works on this database, goose's own session lock included. The lock
// lives in an open transaction of its own, since a pooling proxy assigns a session another connection with each
// transaction.
func lockMigrations(ctx context.Context, pool *sql.DB) (unlock func(), err error) {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("begin the transaction of the migration lock: %w", err)
	}
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", lock.DefaultLockID); err != nil {
		return nil, errors.Join(fmt.Errorf("take the migration lock: %w", err), tx.Rollback())
	}
	return func() { _ = tx.Rollback() }, nil
}

// openForMigration returns the pool and the login names that must be able to take the roles.
func openForMigration(ctx context.Context, opts MigrateOptions) (*sql.DB, []string, error) {
	config, err := pgx.ParseConfig(opts.URL)
	if err != nil {
		return nil, nil, fmt.Errorf("MIGRATE_DATABASE_URL: %w", err)
	}
	if config.DefaultQueryExecMode, err = execMode(ctx, config); err != nil {
		return nil, nil, fmt.Errorf("reach the database: %w", err)
	}
	logins := []string{config.User}
	if opts.AppURL != "" {
		app, err := pgx.ParseConfig(opts.AppURL)
		if err != nil {
			return nil, nil, fmt.Errorf("DATABASE_URL: %w", err)
		}
		if app.User != config.User {
			logins = append(logins, app.User)
		}
	}
	return stdlib.OpenDB(*config), logins, nil
}

func newProvider(pool *sql.DB, files fs.FS) (*goose.Provider, error) {
	provider, err := goose.NewProvider(goose.DialectPostgres, pool, files)
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return provider, nil
}

// makeRoles makes what is missing of the roles and memberships. Roles belong to the whole cluster, so two databases
// may be migrated at once: what another migrator just made is no error.
func makeRoles(ctx context.Context, pool *sql.DB, logins []string) error {
	wanted, err := missingRoles(ctx, pool, logins)
	if err != nil {
		return err
	}
	for i, statement := range wanted {
		_, err := pool.ExecContext(ctx, statement)
		var refused *pgconn.PgError
		switch {
		case err == nil:
		case errors.As(err, &refused) && refused.Code == insufficientPrivilege:
			return fmt.Errorf("this login may not make the roles that the service needs; run this as an administrator, then "+
				"migrate again:\n%s;\n(%w)",
				strings.Join(wanted[i:], ";\n"), err)
		case errors.As(err, &refused) && concurrentRole(refused.Code):
		default:
			return fmt.Errorf("make the roles: %w", err)
		}
	}
	return nil
}

// concurrentRole recognizes the codes with which a race for the same role ends: duplicate_object, unique_violation, and
// an internal_error «tuple concurrently updated».
func concurrentRole(code string) bool { return code == "42710" || code == "23505" || code == "XX000" }

// missingRoles returns the statements that are still needed. The first login owns the functions it makes only if it may
// become dealflow_system; every login must be able to become dealflow_app.
func missingRoles(ctx context.Context, pool *sql.DB, logins []string) ([]string, error) {
	var wanted []string
	for _, role := range []string{"dealflow_app", "dealflow_system"} {
		var exists bool
		if err := pool.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1)", role).
			Scan(&exists); err != nil {
			return nil, fmt.Errorf("reach the database: %w", err)
		}
		if !exists {
			wanted = append(wanted, "CREATE ROLE "+role+" NOLOGIN NOSUPERUSER NOBYPASSRLS")
		}
		for i, login := range logins {
			if role == "dealflow_system" && i > 0 {
				continue
			}
			member, err := isMember(ctx, pool, login, role, exists)
			if err != nil {
				return nil, err
			}
			if !member {
				wanted = append(wanted, "GRANT "+role+" TO "+pgx.Identifier{login}.Sanitize())
			}
		}
	}
	return wanted, nil
}

// isMember reports whether a login can become a role, if that exists.
func isMember(ctx context.Context, pool *sql.DB, login, role string, exists bool) (member bool, err error) {
	if !exists {
		return false, nil
	}
	query := "SELECT pg_has_role($1, $2, 'MEMBER')"
	if err := pool.QueryRowContext(ctx, query, login, role).Scan(&member); err != nil {
		return false, fmt.Errorf("read the roles of %s: %w", login, err)
	}
	return member, nil
}
