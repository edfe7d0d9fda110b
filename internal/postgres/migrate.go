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

// MigrateOptions name the database to migrate and the logins that use it.
type MigrateOptions struct {
	URL    string // of the login that makes the schema and owns the tables
	AppURL string // of the login of the service; "": the same
	Files  fs.FS  // goose SQL files
}

// Migrate creates the roles dealflow_app and dealflow_system, makes the logins members of them (see missingRoles),
// applies the migrations that are missing, and returns the version reached. While it applies migrations it holds a lock
// for which other migrators wait. If the login may not create roles, the error contains the SQL that an administrator
// must run.
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

// lockMigrations takes the lock of migrations, and waits while another migrator holds it. The lock has the id of
// goose's own session lock, so that other programs that migrate with goose wait as well. It lives in an open
// transaction of its own, which unlock ends: a pooling proxy may give a session another connection with each
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

// openForMigration returns the pool for the migration, which the caller must close, and the names of the logins that
// must be members of the roles, first the one that migrates.
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

// makeRoles creates the roles and memberships that are missing: see missingRoles. If the login may not create them, the
// error contains the SQL for those that are still missing. Roles belong to the whole cluster, where another database
// may be migrated at the same time: a role that another migrator has just created is not an error.
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

// concurrentRole reports whether an error code means that another migrator made the same role: duplicate_object,
// unique_violation, or an internal_error «tuple concurrently updated».
func concurrentRole(code string) bool { return code == "42710" || code == "23505" || code == "XX000" }

// missingRoles returns the statements that create the missing roles and memberships. Every login must be a member of
// dealflow_app. The first login, which migrates, must also be a member of dealflow_system, so that it may make that
// role the owner of functions.
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

// isMember reports whether a login is a member of a role, directly or through other roles. exists must say whether the
// role exists; if not, isMember returns false.
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
