package account

import (
	"context"
	"fmt"
	"time"

	"dealflow/internal/account/outbox"
	"dealflow/internal/postgres"
)

// InvitationMemory is for how long an invitation is kept after it expired, so that its token is refused with the reason
// instead of NotFound.
const InvitationMemory = 30 * 24 * time.Hour

// Forget deletes sessions that have ended, mails that were sent or given up longer ago than outbox.Memory, mailed
// tokens that have expired, and invitations that expired longer ago than InvitationMemory.
func (s *Service) Forget(ctx context.Context) error {
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Exec("SELECT app_forget_sessions(), app_forget_invitations(make_interval(secs => ?)), "+
			"app_forget_mails(make_interval(secs => ?))", InvitationMemory.Seconds(), outbox.Memory.Seconds()).Error
	})
	if err != nil {
		return fmt.Errorf("forget old sessions and invitations: %w", err)
	}
	return nil
}
