package account

import (
	"context"
	"fmt"
	"time"

	"dealflow/internal/postgres"
)

// InvitationMemory is how long an invitation that expired, or was accepted, can still be told from one that nobody
// was given.
const InvitationMemory = 30 * 24 * time.Hour

// Forget deletes sessions that have ended, mails that were sent, and invitations that expired longer ago than
// InvitationMemory, and gives their numbers.
func (s *Service) Forget(ctx context.Context) (sessions, invitations int64, err error) {
	err = s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		var mails int64
		return tx.Raw("SELECT app_forget_sessions(), app_forget_invitations(make_interval(secs => ?)), "+
			"app_forget_mails(make_interval(secs => ?))",
			InvitationMemory.Seconds(), mailMemory.Seconds()).Row().Scan(&sessions, &invitations, &mails)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("forget old sessions and invitations: %w", err)
	}
	return sessions, invitations, nil
}
