// Package testkit has helpers for tests: a database and a Redis database for each test, rows, proxies that break
// connections, and a fake model server. Only tests import it.
package testkit

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"testing"

	"dealflow/internal/postgres"
	"dealflow/migrations"
)

// The name and the password of the service's login in tests. As in production, the login is not a superuser and owns no
// tables.
const (
	appLogin    = "dealflow_test_login"
	appPassword = "test"
)

const templatePrefix = "dealflow_template_"

// Database returns a migrated database without rows that no other test uses, opened as the service's login.
func Database(tb testing.TB) *postgres.DB {
	tb.Helper()
	return Open(tb, DatabaseURL(tb))
}

// Open opens a database as its URL says, with up to eight connections. The caller must not close it. It is closed when
// the test ends; if the URL is from DatabaseURL, it stays open for the next test that uses this database.
func Open(tb testing.TB, appURL string) *postgres.DB {
	tb.Helper()
	if d := shelf.database(appURL); d != nil && d.url == appURL { // not through a proxy
		db, err := d.open(tb.Context())
		if err != nil {
			tb.Fatalf("open the test database: %v", err)
		}
		return db
	}
	db, err := postgres.Open(tb.Context(), appURL, postgres.Options{MaxConnections: 8})
	if err != nil {
		tb.Fatalf("open the test database: %v", err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

// DatabaseURL returns the URL, for the service's login, of a migrated database without rows that no other test uses
// until this one ends. Earlier tests may have used it: for a plan or a size to be what it is in a new database, use
// NewDatabaseURL.
func DatabaseURL(tb testing.TB) string {
	tb.Helper()
	return shelf.take(tb)
}

// NewDatabaseURL returns the URL of a new migrated database for the service's login. The database is dropped when the
// test ends.
func NewDatabaseURL(tb testing.TB) string {
	tb.Helper()
	base := serverURL(tb)
	pool := admin.server(tb, base)
	name := admin.create(tb, pool, base, " TEMPLATE "+admin.copied(tb, pool, base))
	return onDatabase(base, name, url.UserPassword(appLogin, appPassword))
}

// EmptyDatabaseURL returns the URL of a new database without a schema, for the server's administrator, for example for
// tests of migrations. The database is dropped when the test ends.
func EmptyDatabaseURL(tb testing.TB) string {
	tb.Helper()
	base := serverURL(tb)
	return onDatabase(base, admin.create(tb, admin.server(tb, base), base, ""), base.User)
}

// AdminURL returns a URL of the same database as appURL, which is from DatabaseURL, for the server's administrator, who
// sees all rows.
func AdminURL(tb testing.TB, appURL string) string {
	tb.Helper()
	app, err := url.Parse(appURL)
	if err != nil {
		tb.Fatalf("parse %q: %v", appURL, err)
	}
	return onDatabase(serverURL(tb), strings.TrimPrefix(app.Path, "/"), serverURL(tb).User)
}

// Administrator returns a pool of connections, as the server's administrator, to the database of a URL from
// DatabaseURL. It may be used until the test that created the database ends.
func Administrator(tb testing.TB, appURL string) *sql.DB {
	tb.Helper()
	return admin.test(tb, appURL)
}

func serverURL(tb testing.TB) *url.URL {
	tb.Helper()
	text := os.Getenv("TEST_DATABASE_URL")
	if text == "" {
		tb.Fatal("TEST_DATABASE_URL is not set: run `make test`, or `go run ./internal/testkit/servers -- go test ./…`")
	}
	parsed, err := url.Parse(text)
	if err != nil {
		tb.Fatalf("TEST_DATABASE_URL: %v", err)
	}
	return parsed
}

func onDatabase(base *url.URL, name string, user *url.Userinfo) string {
	other := *base
	other.Path, other.User = "/"+name, user
	return other.String()
}

// makeTemplate returns the name of the migrated database from which the databases of tests are copied. It creates that
// database if there is none for these migrations. Test processes that call it at the same time wait for the one that
// creates it.
func makeTemplate(tb testing.TB, pool *sql.DB, base *url.URL) string {
	tb.Helper()
	name := templatePrefix + migrationsHash(tb)
	conn, err := pool.Conn(tb.Context())
	if err != nil {
		tb.Fatalf("reach TEST_DATABASE_URL (run `make test`): %v", err)
	}
	defer conn.Close()
	const lockID = 72_616_273
	must := func(query string, args ...any) {
		if _, err := conn.ExecContext(tb.Context(), query, args...); err != nil {
			tb.Fatalf("make the template database: %v", err)
		}
	}
	must("SELECT pg_advisory_lock($1)", lockID)
	defer must("SELECT pg_advisory_unlock($1)", lockID)
	var ready bool
	err = conn.QueryRowContext(tb.Context(),
		"SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate)", name).Scan(&ready)
	if err != nil {
		tb.Fatalf("look for the template database: %v", err)
	}
	if ready {
		return name
	}
	must("DROP DATABASE IF EXISTS " + name)
	must("CREATE DATABASE " + name)
	must("DO $$ BEGIN CREATE ROLE " + appLogin + " LOGIN PASSWORD '" + appPassword +
		"'; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
	migrateTemplate(tb, base, name)
	must("ALTER DATABASE " + name + " IS_TEMPLATE true")
	return name
}

func migrateTemplate(tb testing.TB, base *url.URL, name string) {
	tb.Helper()
	_, err := postgres.Migrate(tb.Context(), postgres.MigrateOptions{
		URL:    onDatabase(base, name, base.User),
		AppURL: onDatabase(base, name, url.UserPassword(appLogin, appPassword)),
		Files:  migrations.Files,
	})
	if err != nil {
		tb.Fatalf("migrate the template database: %v", err)
	}
}

func migrationsHash(tb testing.TB) string {
	tb.Helper()
	hash := sha256.New()
	err := fs.WalkDir(migrations.Files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations.Files, path)
		fmt.Fprintf(hash, "%s %d\n", path, len(text))
		hash.Write(text)
		return err
	})
	if err != nil {
		tb.Fatalf("read the migrations: %v", err)
	}
	return hex.EncodeToString(hash.Sum(nil))[:12]
}

// Exec runs a statement as the administrator on the database of a URL from DatabaseURL. The test ends if that fails.
func Exec(tb testing.TB, appURL, statement string, args ...any) {
	tb.Helper()
	if _, err := Administrator(tb, appURL).ExecContext(tb.Context(), statement, args...); err != nil {
		tb.Fatalf("%s: %v", statement, err)
	}
}

// Count returns the number of all rows of a table, read as the administrator. appURL is from DatabaseURL. The test ends
// if that fails.
func Count(tb testing.TB, appURL, table string) int {
	tb.Helper()
	var count int
	err := Administrator(tb, appURL).QueryRowContext(tb.Context(), "SELECT count(*) FROM "+table).Scan(&count)
	if err != nil {
		tb.Fatalf("count %s: %v", table, err)
	}
	return count
}

// Texts runs a query as the administrator on the database of a URL from DatabaseURL, and returns its only column, which
// must be text without NULL. The result is nil if there are no rows. The test ends if the query fails.
func Texts(tb testing.TB, appURL, query string, args ...any) []string {
	tb.Helper()
	rows, err := Administrator(tb, appURL).QueryContext(tb.Context(), query, args...)
	if err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			tb.Fatalf("%s: %v", query, err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return all
}
