package testkit

import (
	"context"
	"database/sql"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/stdlib"
)

// administrator has the connections to the database server that the tests of a process share, since each new connection
// costs some milliseconds of processor time. It is safe for concurrent use.
type administrator struct {
	mutex    sync.Mutex
	pool     *sql.DB            // on the server's own database
	template string             // the result of copied; "" before its first call
	tests    map[string]*sql.DB // on the databases of tests, by the names of the databases
}

//nolint:gochecknoglobals // the tests of a process know nothing of each other but this
var admin = &administrator{tests: map[string]*sql.DB{}}

// server returns the pool of connections, as the administrator, to the server's own database, whose URL is base. The
// pool is opened once and never closed.
func (a *administrator) server(tb testing.TB, base *url.URL) *sql.DB {
	tb.Helper()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.pool == nil {
		a.pool = openPool(tb, base.String())
	}
	return a.pool
}

func openPool(tb testing.TB, address string) *sql.DB {
	tb.Helper()
	_ = stdlib.GetDefaultDriver() // registers the driver's name
	pool, err := sql.Open("pgx", address)
	if err != nil {
		tb.Fatalf("open TEST_DATABASE_URL: %v", err)
	}
	return pool
}

// copied returns the name of the template database, which it creates if needed, followed by options of CREATE DATABASE.
// From Postgres 15 on it adds STRATEGY file_copy, which takes half the processor time of the default, a copy page by
// page through the log. The test ends if that fails.
func (a *administrator) copied(tb testing.TB, pool *sql.DB, base *url.URL) string {
	tb.Helper()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.template != "" {
		return a.template
	}
	template := makeTemplate(tb, pool, base)
	var version int
	err := pool.QueryRowContext(tb.Context(), "SELECT current_setting('server_version_num')::int").Scan(&version)
	if err != nil {
		tb.Fatalf("ask for the version of Postgres: %v", err)
	}
	if version >= 150_000 {
		template += " STRATEGY file_copy"
	}
	a.template = template
	return template
}

// create creates a database, and returns its name. options are those of CREATE DATABASE, and begin with a space unless
// there are none. The test ends if that fails. The database is dropped when the test ends.
func (a *administrator) create(tb testing.TB, pool *sql.DB, base *url.URL, options string) string {
	tb.Helper()
	name := "test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if _, err := pool.ExecContext(tb.Context(), "CREATE DATABASE "+name+options); err != nil {
		tb.Fatalf("make the test database: %v", err)
	}
	own := openPool(tb, onDatabase(base, name, base.User)) // connects when it is first used
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.tests[name] = own
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), 20*time.Second)
		defer cancel()
		_ = own.Close()
		if _, err := pool.ExecContext(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			tb.Errorf("drop the test database: %v", err)
		}
		a.mutex.Lock()
		defer a.mutex.Unlock()
		delete(a.tests, name)
	})
	return name
}

// test returns the administrator's pool on the database of a URL from DatabaseURL, NewDatabaseURL or EmptyDatabaseURL.
// The test ends unless the database is in use by a test of this process.
func (a *administrator) test(tb testing.TB, appURL string) *sql.DB {
	tb.Helper()
	app, err := url.Parse(appURL)
	if err != nil {
		tb.Fatalf("parse %q: %v", appURL, err)
	}
	if d := shelf.database(appURL); d != nil {
		return d.admin
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	pool := a.tests[strings.TrimPrefix(app.Path, "/")]
	if pool == nil {
		tb.Fatalf("%s is the database of no test that runs", app.Path)
	}
	return pool
}
