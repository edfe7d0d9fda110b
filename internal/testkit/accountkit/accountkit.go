// Package accountkit has helpers for tests of accounts and of signing in.
package accountkit

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/password"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

// Password is a password for users in tests.
const Password = "correct horse battery"

type accounts = account.Service

// Both has the methods of the services of accounts and of signing in, on one database.
type Both struct {
	*signin.Service
	*accounts
}

// SessionLifetime is how long sessions last in tests, and SessionIdle how long without a request.
const (
	SessionLifetime = 30 * 24 * time.Hour
	SessionIdle     = 7 * 24 * time.Hour
)

// New returns a Both for a database. Of the options only DB is required; New replaces the lifetimes of sessions, and
// the hashing of passwords by a cheap one.
func New(o signin.Options) *Both {
	o.SessionLifetime, o.SessionIdle = SessionLifetime, SessionIdle
	o.Passwords = password.NewWithMemory(0, 64)
	return &Both{Service: signin.NewService(o), accounts: account.New(o.DB)}
}

// Setup returns a Both for a new database, the database, and its URL for functions such as testkit.Exec, which are not
// subject to row-level security.
func Setup(t *testing.T) (*Both, *postgres.DB, string) {
	t.Helper()
	url := testkit.DatabaseURL(t)
	db, err := postgres.Open(t.Context(), url, postgres.Options{MaxConnections: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return New(signin.Options{DB: db}), db, url
}

// User creates a user without a password.
func (b *Both) User(t *testing.T, email string) account.User {
	t.Helper()
	user, err := b.CreateUser(t.Context(), email, "Name of "+email, "")
	if err != nil {
		t.Fatalf("create user %s: %v", email, err)
	}
	return user
}

// AuthenticateSession returns the caller of the session with this token, or the error if there is no such session.
func (b *Both) AuthenticateSession(ctx context.Context, token string) (account.Caller, error) {
	who := account.BySession(token)
	err := b.Prove(ctx, who)
	return account.CallerOf(who), err
}

// Watch collects the addresses for which a wrong password or code was given.
type Watch struct {
	mu     sync.Mutex
	Failed []string
}

// Guard returns a guard that allows every attempt, and adds the address to Failed after a wrong one.
func (w *Watch) Guard() signin.Guard {
	return signin.Guard{Allow: func(string, uuid.UUID) error {
		return nil
	}, Failed: func(email string, _ uuid.UUID) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.Failed = append(w.Failed, email)
		return nil
	}}
}

// Anyone returns a guard that allows every attempt. The caller cannot read what it records.
func Anyone() signin.Guard { return (&Watch{}).Guard() }

// WantKind fails the test unless err is of the kind want. what names the checked operation in the message.
func WantKind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if !fault.Is(err, want) {
		t.Errorf("%s: error %v, want kind %d", what, err, want)
	}
}
