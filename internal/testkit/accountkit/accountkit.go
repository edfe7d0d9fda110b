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

// Password is a valid password for users in tests.
const Password = "correct horse battery"

type accounts = account.Service

// Both has the methods of the services of accounts and of signing in, on one database.
type Both struct {
	*signin.Service
	*accounts
}

// SessionLifetime is how long sessions last in tests, and SessionIdle how long they last without a request.
const (
	SessionLifetime = 30 * 24 * time.Hour
	SessionIdle     = 7 * 24 * time.Hour
)

// New returns a Both for a database. Of the options, only DB is required. New sets the lifetimes of sessions to
// SessionLifetime and SessionIdle, and Passwords to a hasher that is fast and insecure.
func New(o signin.Options) *Both {
	o.SessionLifetime, o.SessionIdle = SessionLifetime, SessionIdle
	o.Passwords = password.NewWithMemory(0, 64)
	return &Both{Service: signin.NewService(o), accounts: account.New(o.DB)}
}

// Setup returns a Both for a database without rows that no other test uses, the database, and its URL for functions
// such as testkit.Exec, which run as the administrator and see all rows.
func Setup(t *testing.T) (*Both, *postgres.DB, string) {
	t.Helper()
	url := testkit.DatabaseURL(t)
	db := testkit.Open(t, url)
	return New(signin.Options{DB: db}), db, url
}

// User creates a user with this address and without a password, and returns the user. The test ends if that fails.
func (b *Both) User(t *testing.T, email string) account.User {
	t.Helper()
	user, err := b.CreateUser(t.Context(), email, "Name of "+email, "")
	if err != nil {
		t.Fatalf("create user %s: %v", email, err)
	}
	return user
}

// AuthenticateSession returns the caller whose session has this token. The error is Unauthenticated if there is no such
// session.
func (b *Both) AuthenticateSession(ctx context.Context, token string) (account.Caller, error) {
	who := account.BySession(token)
	err := b.Prove(ctx, who)
	return account.CallerOf(who), err
}

// Watch records the email address of each attempt with a wrong password or code, if the attempt has the Guard of Watch.
type Watch struct {
	mu     sync.Mutex
	Failed []string
}

// Guard returns a guard that allows every attempt, and adds the address to Failed after a wrong one. It is safe for
// concurrent use; Failed must be read only while no attempt runs.
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

// Anyone returns a guard that allows every attempt, and records nothing that a test can read.
func Anyone() signin.Guard { return (&Watch{}).Guard() }

// WantKind reports an error of the test unless err is of the kind want. what names the operation in the message. The
// test continues.
func WantKind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if !fault.Is(err, want) {
		t.Errorf("%s: error %v, want kind %d", what, err, want)
	}
}
