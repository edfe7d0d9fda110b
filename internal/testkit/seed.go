package testkit

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/account/signin"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// User creates a user with this name, and with a unique address derived from the name.
func User(tb testing.TB, db *postgres.DB, name string) account.User {
	tb.Helper()
	address := strings.ToLower(strings.ReplaceAll(name, " ", ".")) + "." + uuid.NewString()[:8] + "@fund.example"
	made, err := signin.New(db).CreateUser(tb.Context(), address, name, "")
	if err != nil {
		tb.Fatalf("make user %s: %v", name, err)
	}
	return made
}

// Account creates an account with the default pipeline and this owner.
func Account(tb testing.TB, db *postgres.DB, owner uuid.UUID, name string) account.Account {
	tb.Helper()
	made, err := account.New(db).Create(tb.Context(), owner, name, pipeline.Seed)
	if err != nil {
		tb.Fatalf("make account %s: %v", name, err)
	}
	return made
}

// Member gives a user a role in an account.
func Member(tb testing.TB, db *postgres.DB, accountID, user uuid.UUID, role string) {
	tb.Helper()
	if _, err := account.New(db).AddMember(tb.Context(), accountID, user, role); err != nil {
		tb.Fatalf("make member: %v", err)
	}
}

// Key creates an API key of the user, and returns its full value.
func Key(tb testing.TB, db *postgres.DB, user uuid.UUID) string {
	tb.Helper()
	_, full, err := apikey.New(db).Create(tb.Context(), user, "test")
	if err != nil {
		tb.Fatalf("make key: %v", err)
	}
	return full
}
