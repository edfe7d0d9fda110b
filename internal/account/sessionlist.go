package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Sessions lists the user's sessions that last, the one used last first.
func (s *Service) Sessions(ctx context.Context, user uuid.UUID) ([]Session, error) {
	if err := s.WriteUses(ctx); err != nil { // so that this one is seen now
		return nil, err
	}
	sessions := []Session{}
	err := s.db.As(ctx, user, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT "+sessionColumns+` FROM sessions WHERE user_id = ? AND LEAST(expires_at, idle_until) > now()
			ORDER BY last_seen_at DESC, id`, user).Scan(&sessions).Error
	})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return sessions, nil
}

// EndSession ends one of the user's sessions at once, everywhere. NotFound where they have no such session.
func (s *Service) EndSession(ctx context.Context, user, session uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		done := tx.Exec("DELETE FROM sessions WHERE user_id = ? AND id = ?", user, session)
		if done.Error == nil && done.RowsAffected == 0 {
			return fault.Missing()
		}
		return done.Error
	})
}

// EndOtherSessions ends all of the caller's sessions but the one that asks.
func (s *Service) EndOtherSessions(ctx context.Context, caller Caller) error {
	return s.db.As(ctx, caller.UserID, func(tx *postgres.Tx) error {
		return tx.Exec("DELETE FROM sessions WHERE user_id = ? AND id <> ?", caller.UserID, caller.SessionID).Error
	})
}
