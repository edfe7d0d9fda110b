package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

func setting(value string) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		return db.Exec("SELECT set_config('app.test', COALESCE(current_setting('app.test', true), '') || ?, true)", value)
	}
}

func TestLaterStatementsGoBeforeOthersAndInOrder(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	var seen, asked string
	var changed []int64
	err := db.As(t.Context(), uuid.New(), func(tx *postgres.Tx) error {
		for _, value := range []string{"a", "b"} {
			if err := tx.Later(setting(value), func(n int64, err error) error {
				changed = append(changed, n)
				return err
			}); err != nil {
				return err
			}
		}
		if len(changed) > 0 {
			t.Error("a statement was sent before it had to be")
		}
		if err := tx.Raw("SELECT current_setting('app.test')").Scan(&seen).Error; err != nil {
			return err
		}
		tx.Put(postgres.Value(&asked, "SELECT current_setting($1)", "app.test"))
		return tx.Later(setting("c"), nil)
	})
	if err != nil || seen != "ab" || asked != "ab" || len(changed) != 2 {
		t.Errorf("seen %q, asked %q, changed %v, %v", seen, asked, changed, err)
	}
}

func TestWhatIsPutOffFailsItsTransaction(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	refused := errors.New("refused")
	wrong := func(db *gorm.DB) *gorm.DB { return db.Exec("SELECT 1 / ?::int", 0) }
	for name, c := range map[string]struct {
		do   func(*postgres.Tx) error
		want error
	}{
		"an answer that is refused, though a later statement fails": {func(tx *postgres.Tx) error {
			tx.Put(postgres.Do("SELECT false").Then(func() error { return refused }))
			return tx.Later(wrong, nil)
		}, refused},
		"a statement whose error is translated": {func(tx *postgres.Tx) error {
			return tx.Later(wrong, func(_ int64, err error) error { return errors.Join(refused, err) })
		}, refused},
		"a statement before one row": {func(tx *postgres.Tx) error {
			if err := tx.Later(wrong, nil); err != nil {
				return err
			}
			_ = tx.Raw("SELECT 1").Row()
			return nil
		}, nil},
		"the commit's own": {func(tx *postgres.Tx) error { return tx.Later(wrong, nil) }, nil},
	} {
		committed := false
		err := db.As(t.Context(), uuid.New(), func(tx *postgres.Tx) error {
			tx.AfterCommit(func(context.Context) { committed = true })
			return c.do(tx)
		})
		if err == nil || committed || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, committed %v", name, err, committed)
		}
		if err := db.Ping(t.Context()); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
	}
}

func TestWhatIsPutOffGoesWithBeginOnceThoughConnectionsBroke(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	add := func(tx *postgres.Tx) error {
		return tx.Later(func(db *gorm.DB) *gorm.DB {
			return db.Exec(
				"INSERT INTO activity (id, account_id, user_id, type, description) VALUES (?, ?, app_user_id(), "+
					"'company_added', 'here')", uuid.New(), team.ID,
			)
		}, nil)
	}
	for range 3 {
		testkit.Exec(t, team.URL,
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "+
				"pg_backend_pid()")
		if err := team.DB.As(t.Context(), team.Owner, add); err != nil {
			t.Errorf("a transaction after its connection broke: %v", err)
		}
	}
	if rows := testkit.Texts(t, team.URL, "SELECT description FROM activity WHERE description = 'here'"); len(rows) != 3 {
		t.Errorf("%d rows were written, want 3", len(rows))
	}
}

func TestWhatCouldNotBeginRunsNothing(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	ctx, cancel := context.WithCancel(t.Context())
	late, stop := context.WithCancel(t.Context())
	stop()
	defer cancel()
	err := team.DB.As(ctx, team.Owner, func(tx *postgres.Tx) error {
		if err := tx.WithContext(late).Exec("SELECT 1").Error; err == nil {
			t.Error("a statement without time ran")
		}
		var who string
		if err := tx.Raw("SELECT current_user").Row().Scan(&who); err == nil {
			t.Errorf("a statement ran as %q in a transaction that did not begin", who)
		}
		return nil
	})
	if err == nil {
		t.Error("a transaction that did not begin was committed")
	}
}
