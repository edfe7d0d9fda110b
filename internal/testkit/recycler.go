package testkit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"dealflow/internal/postgres"
)

// recycler has databases that tests use one after the other. Each is emptied before a test, which takes a fraction of
// the time of copying the template. The connections to it, which know its tables and functions by then, serve the next
// test.
//
// A database belongs to a process as long as the process holds its advisory lock. The server releases the locks of a
// process that ends, even if it is killed, and another one takes its databases over.
type recycler struct {
	mutex  sync.Mutex
	claims *sql.Conn // holds the locks
	claim  int       // the number of the next database to be claimed
	free   []*recycled
	used   map[string]*recycled // by name
}

// recycled is a database of a recycler. mutex guards db while a test uses the database.
type recycled struct {
	name  string
	url   string // for the service's login
	admin *sql.DB
	mutex sync.Mutex
	db    *postgres.DB // nil until it is first used
}

//nolint:gochecknoglobals // the tests of a process know nothing of each other but this and admin
var shelf = &recycler{used: map[string]*recycled{}}

// The class of the advisory locks of databases, and the application_name of the shared connections.
const (
	claimClass = 72_616_274
	sharedName = "testkit"
)

// watchSchema makes a database record that its schema was changed, in a sequence, which no transaction rolls back.
// Creating a temporary table does not count, but dropping one does.
const watchSchema = `
CREATE SCHEMA testkit;
CREATE SEQUENCE testkit.changed;
CREATE FUNCTION testkit.note() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	IF tg_tag LIKE 'DROP%' OR EXISTS (SELECT FROM pg_event_trigger_ddl_commands()
		WHERE schema_name IS DISTINCT FROM 'pg_temp') THEN
		PERFORM nextval('testkit.changed');
	END IF;
END $$;
CREATE EVENT TRIGGER testkit_note ON ddl_command_end EXECUTE FUNCTION testkit.note();`

// emptyTables ends the connections that a test has left, which are all except its own and those named sharedName, and
// deletes all rows of the tables in the schema public except that of goose. It fails if the schema was changed. Large
// tables are truncated, which frees their pages; deleting the rows of small ones is faster, and lets connections keep
// what they have cached about these tables.
const emptyTables = `
DO $$
DECLARE t record;
BEGIN
	IF (SELECT is_called FROM testkit.changed) THEN RAISE EXCEPTION 'a test changed the schema'; END IF;
	PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database()
		AND backend_type = 'client backend' AND application_name <> '` + sharedName + `' AND pid <> pg_backend_pid();
	SET LOCAL session_replication_role = replica;
	FOR t IN SELECT oid::regclass AS name, pg_table_size(oid) > 1 << 19 AS large FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'goose_db_version'
		AND pg_relation_size(oid) > 0
	LOOP
		EXECUTE CASE WHEN t.large THEN format('TRUNCATE %s CASCADE', t.name) ELSE format('DELETE FROM %s', t.name) END;
	END LOOP;
END $$`

// take returns the URL of an empty database for the service's login. When the test has ended, another test may use the
// database.
func (r *recycler) take(tb testing.TB) string {
	tb.Helper()
	base := serverURL(tb)
	server := admin.server(tb, base)
	copied := admin.copied(tb, server, base)
	d := r.pick(tb, server, strings.TrimPrefix(strings.Fields(copied)[0], templatePrefix), base)
	if _, err := d.admin.ExecContext(tb.Context(), emptyTables); err != nil { // or it does not exist yet
		d.create(tb, server, base, copied)
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.used[d.name] = d
	tb.Cleanup(func() { r.giveBack(tb, d) })
	return d.url
}

// pick returns the database that was given back last, or claims another one, which may not exist yet.
func (r *recycler) pick(tb testing.TB, server *sql.DB, hash string, base *url.URL) *recycled {
	tb.Helper()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if n := len(r.free); n > 0 {
		d := r.free[n-1]
		r.free = r.free[:n-1]
		return d
	}
	ctx := context.WithoutCancel(tb.Context())
	if r.claims == nil {
		var err error
		if r.claims, err = server.Conn(ctx); err != nil {
			tb.Fatalf("reach TEST_DATABASE_URL (run `make test`): %v", err)
		}
	}
	for claimed := false; !claimed; {
		r.claim++
		err := r.claims.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1, $2)", claimClass, r.claim).Scan(&claimed)
		if err != nil {
			tb.Fatalf("claim a test database: %v", err)
		}
	}
	name := fmt.Sprintf("test_%s_%d", hash, r.claim)
	return &recycled{
		name: name, url: onDatabase(base, name, url.UserPassword(appLogin, appPassword)),
		admin: openPool(tb, shared(onDatabase(base, name, base.User))),
	}
}

// create makes the database anew, from a template, and ends connections to the old one. copied is what
// administrator.copied returns. The test ends if that fails.
func (d *recycled) create(tb testing.TB, server *sql.DB, base *url.URL, copied string) {
	tb.Helper()
	d.close()
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + d.name + " WITH (FORCE)", "CREATE DATABASE " + d.name + " TEMPLATE " + copied,
	} {
		if _, err := server.ExecContext(tb.Context(), statement); err != nil {
			tb.Fatalf("make the test database: %v", err)
		}
	}
	d.admin = openPool(tb, shared(onDatabase(base, d.name, base.User)))
	if _, err := d.admin.ExecContext(tb.Context(), watchSchema); err != nil {
		tb.Fatalf("watch the schema of the test database: %v", err)
	}
}

func (d *recycled) close() {
	_ = d.admin.Close()
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.db != nil {
		_ = d.db.Close()
		d.db = nil
	}
}

// giveBack lets another test use the database once none of the shared connections is in use. It waits up to 20 seconds
// for that, and then reports an error of the test and drops the database from use.
func (r *recycler) giveBack(tb testing.TB, d *recycled) {
	tb.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for n := d.acquired(); n > 0; n = d.acquired() {
		if time.Now().After(deadline) {
			tb.Errorf("%d connections are still in use", n)
			return // nobody uses the database again
		}
		time.Sleep(time.Millisecond)
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.used, d.name)
	r.free = append(r.free, d)
}

// acquired returns how many of the shared connections are in use.
func (d *recycled) acquired() int32 {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.db == nil {
		return 0
	}
	return d.db.Stat().AcquiredConns()
}

// database returns the recycled database of a URL from DatabaseURL, or nil.
func (r *recycler) database(appURL string) *recycled {
	app, err := url.Parse(appURL)
	if err != nil {
		return nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.used[strings.TrimPrefix(app.Path, "/")]
}

// open returns the shared connections as the service's login. It opens them if there are none, or if they do not
// answer.
func (d *recycled) open(ctx context.Context) (*postgres.DB, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.db != nil {
		if err := d.db.Ping(ctx); err == nil {
			return d.db, nil
		}
		_ = d.db.Close()
	}
	var err error
	d.db, err = postgres.Open(context.WithoutCancel(ctx), shared(d.url), postgres.Options{
		MaxConnections: 8, TransactionTimeout: time.Minute, // a busy machine may need much of it for long texts
	})
	return d.db, err
}

func shared(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		panic(errors.New("the URL of a test database is invalid"))
	}
	query := parsed.Query()
	query.Set("application_name", sharedName)
	parsed.RawQuery = query.Encode()
	return parsed.String()
}
