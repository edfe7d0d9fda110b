package apikey_test

import (
	"strings"
	"testing"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

func setup(t *testing.T) (*apikey.Service, *postgres.DB, account.User) {
	t.Helper()
	db := testkit.Database(t)
	return apikey.New(db), db, testkit.User(t, db, "Ada")
}

func wantKind(t *testing.T, name string, err error, kind fault.Kind) {
	t.Helper()
	if !fault.Is(err, kind) {
		t.Errorf("%s: %v, want kind %v", name, err, kind)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	keys, db, ada := setup(t)
	bob := testkit.User(t, db, "Bob")
	key, full, err := keys.Create(t.Context(), ada.ID, "laptop")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(full, "mk_") || len(full) < len("mk_")+32 || !strings.HasPrefix(full, key.Hint) ||
		key.CreatedAt.IsZero() {
		t.Errorf("key %q, hint %q, made %v", full, key.Hint, key.CreatedAt)
	}
	if caller, err := keys.Authenticate(t.Context(), full); err != nil || caller.UserID != ada.ID ||
		caller.KeyID != key.ID || len(caller.Scopes) != 3 {
		t.Errorf("Authenticate = %+v, %v", caller, err)
	}
	for name, wrong := range map[string]string{
		"cut": full[:len(full)-1], "longer": full + "a", "other": "mk_" + strings.Repeat("a", 52), "no prefix": full[3:],
		"empty": "",
	} {
		_, err := keys.Authenticate(t.Context(), wrong)
		wantKind(t, name, err, fault.Unauthenticated)
	}
	wantKind(t, "somebody else's key", keys.Delete(t.Context(), bob.ID, key.ID), fault.NotFound)
	if seen, _, err := keys.List(t.Context(), postgres.AsUser(bob.ID), paging.First(100)); err != nil ||
		len(seen) != 0 {
		t.Errorf("bob sees %v, %v", seen, err)
	}

	var stored int
	err = db.As(t.Context(), ada.ID, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT count(*) FROM api_keys WHERE position(? IN encode(hash, 'escape')) > 0 OR hint = ?", full,
			full).Scan(&stored).Error
	})
	if err != nil || stored != 0 {
		t.Errorf("the key itself is in %d rows, %v", stored, err)
	}

	if err := keys.Delete(t.Context(), ada.ID, key.ID); err != nil {
		t.Fatal(err)
	}
	_, err = keys.Authenticate(t.Context(), full)
	wantKind(t, "deleted key", err, fault.Unauthenticated)
	wantKind(t, "deleting twice", keys.Delete(t.Context(), ada.ID, key.ID), fault.NotFound)
}

func TestOperatorRevokesAnybodysKey(t *testing.T) {
	t.Parallel()
	keys, _, ada := setup(t)
	key, full, err := keys.Create(t.Context(), ada.ID, "laptop")
	if err != nil {
		t.Fatal(err)
	}
	if err := keys.Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	_, err = keys.Authenticate(t.Context(), full)
	wantKind(t, "revoked key", err, fault.Unauthenticated)
	wantKind(t, "revoking twice", keys.Revoke(t.Context(), key.ID), fault.NotFound)
}
