package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

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
		"row security not forced": {"ALTER TABLE companies NO FORCE ROW LEVEL SECURITY", "row security does not hold for [companies]"},
		"row security off":        {"ALTER TABLE work DISABLE ROW LEVEL SECURITY", "row security does not hold for [work]"},
		"migration missing":       {"DELETE FROM goose_db_version WHERE version_id > 1", "run `dealflow migrate`"},
		"no schema":               {"DROP TABLE goose_db_version", "no schema yet"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := testkit.DatabaseURL(t)
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
		"committed": {nil, nil, nil, true}, "refused at the end": {nil, late, late, true}, "refused before": {early, late, early, false},
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
