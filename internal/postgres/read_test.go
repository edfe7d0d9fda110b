package postgres_test

import (
	"crypto/sha256"
	"errors"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

func keyHash(full string) []byte { hash := sha256.Sum256([]byte(full)); return hash[:] }

func TestReadRunsAsWhomTheSecretProvesAndOnlyInItsTrip(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	ada, bob := testkit.User(t, db, "Ada"), testkit.User(t, db, "Bob")
	keys := map[uuid.UUID]*postgres.Identity{
		ada.ID: postgres.ByKey(keyHash(testkit.Key(t, db, ada.ID))),
		bob.ID: postgres.ByKey(keyHash(testkit.Key(t, db, bob.ID))),
	}
	for range 30 { // more often than the pool has connections: an identity that outlived its trip would show
		for user, who := range keys {
			var role string
			var id, again *uuid.UUID
			err := db.Read(t.Context(), who, postgres.Value(&role, "SELECT current_user"),
				postgres.Value(&id, "SELECT app_user_id()"), postgres.Value(&again, "SELECT id FROM users"))
			if err != nil || role != "dealflow_app" || id == nil || *id != user || *again != user || who.User != user ||
				who.Proof == uuid.Nil || len(who.Scopes) != 3 {
				t.Fatalf("role %s, id %v, sees %v, identity %+v, %v", role, id, again, who, err)
			}
		}
		var id *uuid.UUID
		if err := db.Read(t.Context(), &postgres.Identity{}, postgres.Value(&id, "SELECT app_user_id()")); err != nil ||
			id != nil {
			t.Fatalf("nobody: id %v, %v", id, err)
		}
	}
}

func TestReadAsNobodysSecretReadsNothing(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	ada := testkit.User(t, db, "Ada")
	key := postgres.ByKey(keyHash(testkit.Key(t, db, ada.ID)))
	refused := errors.New("refused")
	admits := postgres.ByKey([]byte(key.Secret()))
	admits.Admit = func() error { return refused }
	for name, tc := range map[string]struct {
		who  *postgres.Identity
		want func(error) bool
	}{
		"unknown key": {
			postgres.ByKey(keyHash("mk_unknown")), func(err error) bool { return fault.Is(err, fault.Unauthenticated) },
		},
		"unknown session": {
			postgres.BySession(keyHash("unknown")), func(err error) bool { return fault.Is(err, fault.Unauthenticated) },
		},
		"not admitted": {admits, func(err error) bool { return errors.Is(err, refused) }},
	} {
		var ids []uuid.UUID
		err := db.Read(t.Context(), tc.who,
			postgres.Rows(&ids, func(id *uuid.UUID) []any { return []any{id} }, "SELECT id FROM users"))
		if !tc.want(err) || len(ids) > 0 {
			t.Errorf("%s: %v, read %v", name, err, ids)
		}
	}
}

func TestReadTellsWhichStatementFailed(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	ada := postgres.AsUser(testkit.User(t, db, "Ada").ID)
	var number, after int
	err := db.Read(t.Context(), ada, postgres.Value(&number, "SELECT 1"),
		postgres.Value(&number, "SELECT 1 / (SELECT 0)"), postgres.Value(&after, "SELECT 2"))
	if err == nil || number != 1 || after != 0 {
		t.Errorf("read %d and %d, %v", number, after, err)
	}
	if err := db.Read(t.Context(), ada, postgres.Value(&after, "SELECT 3")); err != nil || after != 3 {
		t.Errorf("the connection after a failure: %d, %v", after, err)
	}
}
