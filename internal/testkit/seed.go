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

// User creates a user with this name, and with a unique address derived from the name. The test ends if that fails.
func User(tb testing.TB, db *postgres.DB, name string) account.User {
	tb.Helper()
	address := strings.ToLower(strings.ReplaceAll(name, " ", ".")) + "." + uuid.NewString()[:8] + "@fund.example"
	made, err := signin.New(db).CreateUser(tb.Context(), address, name, "")
	if err != nil {
		tb.Fatalf("make user %s: %v", name, err)
	}
	return made
}

// Account creates an account with the default pipeline and this owner. The test ends if that fails.
func Account(tb testing.TB, db *postgres.DB, owner uuid.UUID, name string) account.Account {
	tb.Helper()
	made, err := account.New(db).Create(tb.Context(), owner, name, pipeline.Seed)
	if err != nil {
		tb.Fatalf("make account %s: %v", name, err)
	}
	return made
}

// Member makes a user a member of an account with this role, or changes their role. The test ends if that fails.
func Member(tb testing.TB, db *postgres.DB, accountID, user uuid.UUID, role string) {
	tb.Helper()
	if _, err := account.New(db).AddMember(tb.Context(), accountID, user, role); err != nil {
		tb.Fatalf("make member: %v", err)
	}
}

// Key creates an API key of the user, and returns its full value. The test ends if that fails.
func Key(tb testing.TB, db *postgres.DB, user uuid.UUID) string {
	tb.Helper()
	_, full, err := apikey.New(db).Create(tb.Context(), user, "test")
	if err != nil {
		tb.Fatalf("make key: %v", err)
	}
	return full
}
