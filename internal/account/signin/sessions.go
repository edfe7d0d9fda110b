package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/secret"
)

// Sessions returns a page of the caller's sessions that have not ended, the last used one first, and the position where
// the next page begins, which is nil at the end. It first calls WriteUses, and returns its error.
func (s *Service) Sessions(
	ctx context.Context, who *postgres.Identity, page paging.Page,
) ([]Session, *paging.Position, error) {
	if err := s.WriteUses(ctx); err != nil { // so that LastSeenAt of the caller's session is up to date
		return nil, nil, err
	}
	order := paging.Order{Columns: []paging.Column{{SQL: "last_seen_at", Type: "timestamptz"}}, Descending: true}
	var sessions []Session
	err := s.db.Read(ctx, who, postgres.Found(s.db, &sessions, func(tx *gorm.DB) *gorm.DB {
		return page.Of(order)(tx.Table("sessions").Select(sessionColumns).
			Where("user_id = app_user_id() AND LEAST(expires_at, idle_until) > now()")).Find(&[]Session{})
	}))
	if err != nil {
		return nil, nil, fmt.Errorf("list sessions: %w", err)
	}
	sessions, next := paging.Cut(page, sessions,
		func(one *Session) paging.Position { return paging.At(one.LastSeenAt, one.ID) })
	return sessions, next, nil
}

// EndSession ends one of the user's sessions. Requests that begin later with its token are refused by every process.
// The error is NotFound if the user has no such session.
func (s *Service) EndSession(ctx context.Context, user, session uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		done := tx.Exec("DELETE FROM sessions WHERE user_id = ? AND id = ?", user, session)
		if done.Error == nil && done.RowsAffected == 0 {
			return fault.NewNotFound()
		}
		return done.Error
	})
}

// EndOtherSessions ends all of the caller's sessions except the one that sent the request. If the request was sent with
// a key, it ends all sessions.
func (s *Service) EndOtherSessions(ctx context.Context, caller account.Caller) error {
	return s.db.As(ctx, caller.UserID, func(tx *postgres.Tx) error {
		return tx.Exec("DELETE FROM sessions WHERE user_id = ? AND id <> ?", caller.UserID, caller.SessionID).Error
	})
}

// Session is a login. The hash of its token is stored beside it and is not read.
type Session struct {
	ID         uuid.UUID
	UserID     uuid.UUID
	Device     string // the User-Agent of the browser
	IP         string
	ExpiresAt  time.Time
	IdleUntil  time.Time
	LastSeenAt time.Time // to within a minute
	CreatedAt  time.Time
}

// Entry is a new session with its token, which cannot be read again later.
type Entry struct {
	Session

	Token string
}

// begin creates a session of the transaction's user, passes it to tx.Made, and deletes those of the user that have
// ended. It returns an error in a service without Options.SessionLifetime or Options.SessionIdle.
func (s *Service) begin(tx *postgres.Tx) (Entry, error) {
	if s.lifetime <= 0 || s.idle <= 0 {
		return Entry{}, errors.New("begin session: this process does not know how long sessions last")
	}
	err := tx.Exec("DELETE FROM sessions WHERE user_id = ? AND LEAST(expires_at, idle_until) <= now()", tx.UserID()).Error
	if err != nil {
		return Entry{}, fmt.Errorf("drop old sessions: %w", err)
	}
	entry, origin := Entry{Token: secret.New()}, postgres.OriginOf(tx.Statement.Context)
	err = tx.Raw(`INSERT INTO sessions (id, user_id, hash, device, ip, expires_at, idle_until)
		VALUES (?, ?, decode(?, 'hex'), ?, ?, now() + make_interval(secs => ?), now() + make_interval(secs => ?))
		RETURNING `+sessionColumns,
		uuid.New(), tx.UserID(), secret.Hash(entry.Token), postgres.Shortened(origin.Device, maxDevice), origin.Address,
		s.lifetime.Seconds(), s.idle.Seconds()).Scan(&entry.Session).Error
	if err != nil {
		return Entry{}, fmt.Errorf("begin session: %w", err)
	}
	tx.Made(entry)
	return entry, nil
}

const sessionColumns = "id, user_id, device, ip, expires_at, idle_until, last_seen_at, created_at"

// maxDevice is how many characters of a User-Agent are stored.
const maxDevice = 300

// Logout ends the session that sent the request. If the request was sent with a key, it does nothing.
func (s *Service) Logout(ctx context.Context, caller account.Caller) error {
	return s.db.As(ctx, caller.UserID, func(tx *postgres.Tx) error {
		return tx.Exec("DELETE FROM sessions WHERE user_id = ? AND id = ?", caller.UserID, caller.SessionID).Error
	})
}
