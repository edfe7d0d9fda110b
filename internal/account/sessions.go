package account

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// SessionLifetime is how long a session lasts, used or not.
const SessionLifetime = 30 * 24 * time.Hour

// Session is a login that lasts. The hash of its token is not part of it: nobody reads that.
type Session struct {
	ID        uuid.UUID
	UserID    uuid.UUID
	ExpiresAt time.Time
	CreatedAt time.Time
}

// Entry is a session that begins, with the token that proves it, which nobody can ask for again.
type Entry struct {
	Session

	Token string
}

// Guard slows down who guesses passwords.
type Guard struct {
	Allow  func(email string) error // asked right before a password is compared; an error of it is the answer
	Failed func(email string) error // told of a wrong password, and of an address that nobody has; an error of it is the answer
}

// Login begins a session. A wrong password, an unknown address and a user without a password are the same Unauthenticated, in the
// same time.
func (s *Service) Login(ctx context.Context, email, password string, guard Guard) (Entry, error) {
	user, err := s.verify(ctx, email, password, guard)
	if err != nil {
		return Entry{}, err
	}
	var entry Entry
	err = s.db.As(ctx, user, func(tx *postgres.Tx) error {
		entry, err = begin(tx)
		return err
	})
	return entry, err
}

// verify gives the user whose address and password these are.
func (s *Service) verify(ctx context.Context, email, password string, guard Guard) (uuid.UUID, error) {
	email = strings.TrimSpace(email)
	found, err := s.credentials(ctx, email)
	if err != nil {
		return uuid.Nil, err
	}
	done, err := s.passwords.Take(ctx)
	if err != nil {
		return uuid.Nil, err
	}
	defer done()
	if err := guard.Allow(email); err != nil {
		return uuid.Nil, err
	}
	right, err := s.passwords.Match(password, found.PasswordHash)
	if err != nil {
		return uuid.Nil, err
	}
	if !right {
		if err := guard.Failed(email); err != nil {
			return uuid.Nil, err
		}
		return uuid.Nil, fault.New(fault.Unauthenticated, "invalid_credentials")
	}
	return found.UserID.UUID, nil
}

type credentials struct {
	UserID       uuid.NullUUID
	PasswordHash *string
}

// credentials are empty for an address that nobody has.
func (s *Service) credentials(ctx context.Context, email string) (credentials, error) {
	var found credentials
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT user_id, password_hash FROM app_user_by_email(?)", email).Scan(&found).Error
	})
	if err != nil {
		return credentials{}, fmt.Errorf("find user: %w", err)
	}
	return found, nil
}

// begin makes a session of the transaction's user, and drops those of his that are over.
func begin(tx *postgres.Tx) (Entry, error) {
	if err := tx.Exec("DELETE FROM sessions WHERE user_id = ? AND expires_at <= now()", tx.UserID()).Error; err != nil {
		return Entry{}, fmt.Errorf("drop old sessions: %w", err)
	}
	entry := Entry{Token: newSecret()}
	err := tx.Raw(`INSERT INTO sessions (id, user_id, hash, expires_at) VALUES (?, ?, decode(?, 'hex'), now() + make_interval(secs => ?))
		RETURNING id, user_id, expires_at, created_at`, uuid.New(), tx.UserID(), hexHash(entry.Token), SessionLifetime.Seconds()).Scan(&entry.Session).Error
	if err != nil {
		return Entry{}, fmt.Errorf("begin session: %w", err)
	}
	return entry, nil
}

// AuthenticateSession gives the caller behind a session's token; Unauthenticated where there is none such, or it is over.
func (s *Service) AuthenticateSession(ctx context.Context, token string) (Caller, error) {
	var found struct{ SessionID, UserID uuid.NullUUID }
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT session_id, user_id FROM app_session_by_hash(decode(?, 'hex'))", hexHash(token)).Scan(&found).Error
	})
	if err != nil {
		return Caller{}, fmt.Errorf("look up session: %w", err)
	}
	if !found.SessionID.Valid {
		return Caller{}, fault.New(fault.Unauthenticated, "invalid_session")
	}
	return Caller{UserID: found.UserID.UUID, SessionID: found.SessionID.UUID}, nil
}

// Logout ends the caller's session at once, everywhere. A caller with a key has none, and none is ended.
func (s *Service) Logout(ctx context.Context, caller Caller) error {
	return s.db.As(ctx, caller.UserID, func(tx *postgres.Tx) error {
		return tx.Exec("DELETE FROM sessions WHERE user_id = ? AND id = ?", caller.UserID, caller.SessionID).Error
	})
}
