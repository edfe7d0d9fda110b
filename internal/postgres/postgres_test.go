package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/migrations"
)

func TestMigrateIsRepeatableAndReversible(t *testing.T) {
	t.Parallel()
	opts := postgres.MigrateOptions{URL: testkit.EmptyDatabaseURL(t), Files: migrations.Files}
	first, err := postgres.Migrate(t.Context(), opts)
	if err != nil {
		t.Fatalf("first Migrate: %v", err)
	}
	second, err := postgres.Migrate(t.Context(), opts)
	if err != nil || second != first {
		t.Fatalf("second Migrate = %d, %v; want %d again", second, err, first)
	}
}

func TestMigratorsWaitForEachOther(t *testing.T) {
	t.Parallel()
	opts := postgres.MigrateOptions{URL: testkit.EmptyDatabaseURL(t), Files: migrations.Files}
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if _, err := postgres.Migrate(t.Context(), opts); err != nil {
				t.Errorf("Migrate beside another: %v", err)
			}
		})
	}
	group.Wait()
}

func TestCheck(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	if err := db.Check(t.Context(), migrations.Files); err != nil {
		t.Fatalf("Check of a migrated database: %v", err)
	}
}

func TestCheckRefusesWhatWouldLeak(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ harm, want string }{
		"row security not forced": {
			"ALTER TABLE companies NO FORCE ROW LEVEL SECURITY", "row security does not hold for [companies]",
		},
		"row security off":   {"ALTER TABLE work DISABLE ROW LEVEL SECURITY", "row security does not hold for [work]"},
		"migrations missing": {"DELETE FROM goose_db_version WHERE version_id > 1", "needs: run `dealflow"},
		"migration left out": {"DELETE FROM goose_db_version WHERE version_id = 3", "lacks migration 3"},
		"no schema":          {"DROP TABLE goose_db_version", "no schema yet"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := testkit.NewDatabaseURL(t)
			testkit.Exec(t, url, tc.harm)
			db, err := postgres.Open(t.Context(), url, postgres.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if err := db.Check(t.Context(), migrations.Files); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Check after %q = %v, want an error with %q", tc.harm, err, tc.want)
			}
		})
	}
}

func TestCheckAsksForNoMigrationWhereTheDatabaseDoesNotAnswer(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if err := db.CheckSchema(ctx, migrations.Files); err == nil || strings.Contains(err.Error(), "migrate") {
		t.Errorf("CheckSchema without an answer = %v", err)
	}
}

func TestCheckRefusesASuperuser(t *testing.T) {
	t.Parallel()
	db, err := postgres.Open(t.Context(), testkit.AdminURL(t, testkit.NewDatabaseURL(t)), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Check(t.Context(), migrations.Files); err == nil ||
		!strings.Contains(err.Error(), "GRANT dealflow_app TO dealflow_login") {
		t.Errorf("Check as a superuser = %v, want the statements to type", err)
	}
}

func TestAsRunsAsTheUserAndOnlyInTheTransaction(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	user := uuid.New()
	read := func(as uuid.UUID) (role, id string) {
		err := db.As(t.Context(), as, func(tx *postgres.Tx) error {
			return tx.Raw("SELECT current_user, COALESCE(app_user_id()::text, '')").Row().Scan(&role, &id)
		})
		if err != nil {
			t.Fatal(err)
		}
		return role, id
	}
	for range 20 { // more often than the pool has connections: an identity that outlived its transaction would show
		if role, id := read(user); role != "dealflow_app" || id != user.String() {
			t.Fatalf("as a user: role %s, id %s", role, id)
		}
		if role, id := read(uuid.Nil); role != "dealflow_app" || id != "" {
			t.Fatalf("as nobody: role %s, id %q", role, id)
		}
	}
}

func TestAfterCommitRunsOnlyWhenDurable(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	refused := errors.New("refused")
	for name, result := range map[string]error{"committed": nil, "rolled back": refused} {
		told := false
		err := db.AsNobody(t.Context(), func(tx *postgres.Tx) error {
			tx.AfterCommit(func(context.Context) { told = true })
			return result
		})
		if !errors.Is(err, result) || told != (result == nil) {
			t.Errorf("%s: error %v, told %v", name, err, told)
		}
	}
}

func TestOpenDoesNotTellThePassword(t *testing.T) {
	t.Parallel()
	_, err := postgres.Open(t.Context(), "postgres://someone:hunter2secret@127.0.0.1:1/none", postgres.Options{})
	if err == nil || strings.Contains(err.Error(), "hunter2secret") {
		t.Errorf("Open of an unreachable server = %v", err)
	}
}

func TestBeforeCommitStandsOrFallsWithTheTransaction(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	late, early := errors.New("late"), errors.New("early")
	for name, tc := range map[string]struct {
		own, hook, want error
		asked           bool
	}{
		"committed": {nil, nil, nil, true}, "refused at the end": {nil, late, late, true},
		"refused before": {early, late, early, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, told := false, false
			ctx := postgres.BeforeCommit(t.Context(), func(tx *postgres.Tx) error {
				asked = true
				return errors.Join(tx.Exec("SELECT 1").Error, tc.hook)
			})
			err := db.AsNobody(ctx, func(tx *postgres.Tx) error {
				tx.AfterCommit(func(context.Context) { told = true })
				return tc.own
			})
			if !errors.Is(err, tc.want) || asked != tc.asked || told != (tc.want == nil) {
				t.Errorf("error %v, asked %v, told %v", err, asked, told)
			}
		})
	}
}

func TestCommitWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		write, unreachable bool
		want               error
	}{
		"a writing transaction asks": {write: true},
		"a writing transaction that cannot ask": {
			write: true, unreachable: true, want: postgres.ErrOutcomeUnknown,
		},
		"another transaction does not know what to ask about": {want: postgres.ErrOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			team := testkit.NewTeam(t)
			proxy := testkit.NewCommitCutter(t, team.URL)
			db, err := postgres.Open(t.Context(), proxy.URL, postgres.Options{MaxConnections: 2})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			run := db.As
			if tc.write {
				run = db.Write
			}
			proxy.Cut(1)
			err = run(t.Context(), team.Owner, func(tx *postgres.Tx) error {
				if tc.unreachable {
					proxy.Close()
				}
				return tx.Exec("UPDATE accounts SET name = 'Renamed' WHERE id = ?", team.ID).Error
			})
			if !errors.Is(err, tc.want) || postgres.Undone(err) || (err != nil && !postgres.IsUnreachable(err)) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
			if names := testkit.Texts(t, team.URL, "SELECT name FROM accounts WHERE id = $1", team.ID); names[0] != "Renamed" {
				t.Errorf("the account is called %q", names[0])
			}
		})
	}
}

func TestCommitIsNotTheClientsToCancel(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	ctx, hangUp := context.WithCancel(t.Context())
	err := team.DB.As(ctx, team.Owner, func(tx *postgres.Tx) error {
		tx.AfterCommit(func(ctx context.Context) {
			if ctx.Err() != nil {
				t.Error("what follows the commit runs in the context of the client that left")
			}
		})
		defer hangUp()
		return tx.Exec("UPDATE accounts SET name = 'Renamed' WHERE id = ?", team.ID).Error
	})
	if err != nil {
		t.Errorf("the commit of a client that left: %v", err)
	}
}

func TestFailedStatementThatWasIgnoredIsNoCommit(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	err := team.DB.Write(t.Context(), team.Owner, func(tx *postgres.Tx) error {
		_ = tx.Exec("SELECT 1/0").Error
		return nil
	})
	if !postgres.Undone(err) {
		t.Errorf("commit after a failed statement: %v", err)
	}
}

func TestWaitingHasLimits(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	db, err := postgres.Open(t.Context(), team.URL,
		postgres.Options{
			MaxConnections: 1, AcquireTimeout: 50 * time.Millisecond, TransactionTimeout: 300 * time.Millisecond,
		})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.AsNobody(t.Context(), func(tx *postgres.Tx) error {
		if err := db.AsNobody(t.Context(), func(*postgres.Tx) error { return nil }); !postgres.IsUnreachable(err) {
			t.Errorf("no free connection: %v", err)
		}
		return tx.Exec("SELECT pg_sleep(10)").Error
	})
	if !postgres.IsUnreachable(err) || !postgres.Undone(err) {
		t.Errorf("a statement that takes too long: %v", err)
	}
	// A busy machine may take longer than the wait for a connection to make another.
	for deadline := time.Now().Add(10 * time.Second); ; {
		err := db.AsNobody(t.Context(), func(*postgres.Tx) error { return nil })
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the next transaction: %v", err)
		}
	}
}

func TestConnectionsThatBrokeWhileIdleAreReplaced(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	nothing := func(*postgres.Tx) error { return nil }
	if err := team.DB.AsNobody(t.Context(), nothing); err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, team.URL,
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "+
			"pg_backend_pid()")
	if err := team.DB.AsNobody(t.Context(), nothing); err != nil {
		t.Errorf("the first transaction after the server ended all connections: %v", err)
	}
}
