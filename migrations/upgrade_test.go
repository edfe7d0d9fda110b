package migrations_test

import (
	"testing"

	"github.com/pressly/goose/v3"

	"dealflow/internal/testkit"
	"dealflow/migrations"
)

// Somebody who registered before migration 26 has an address that is only claimed; their first account becomes their
// home.
func TestAccountsWithRegisteredUsersAreMigrated(t *testing.T) {
	t.Parallel()
	pool := openAsOwner(t, testkit.AdminURL(t, testkit.NewDatabaseURL(t)))
	provider, err := goose.NewProvider(goose.DialectPostgres, pool, migrations.Files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.DownTo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 25); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.ExecContext(t.Context(), `
		INSERT INTO accounts (id, name) VALUES ('00000000-0000-0000-0000-00000000000a', 'Fund');
		INSERT INTO users (id, email, name, password_hash, created_at, updated_at)
			VALUES ('00000000-0000-0000-0000-00000000000b', 'ada@fund.example', 'Ada', 'hash', now(), now());
		INSERT INTO memberships (id, account_id, user_id, role) VALUES (gen_random_uuid(),
			'00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000b', 'owner')`); err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	homes := column(t, pool, `SELECT home_account_id::text FROM users WHERE proven_at IS NULL`)
	if len(homes) != 1 || homes[0] != "00000000-0000-0000-0000-00000000000a" {
		t.Errorf("the homes of unproven users are %v", homes)
	}
}
