package account

import (
	"context"
	"fmt"

	"dealflow/internal/postgres"
	"dealflow/internal/retention"
)

// Forget deletes sessions and mailed tokens that have ended, invitations that expired longer ago than
// retention.Invitations, and mails that were sent or given up longer ago than retention.Mails.
func (s *Service) Forget(ctx context.Context) error {
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Exec("SELECT app_forget_sessions(), app_forget_invitations(make_interval(secs => ?)), "+
			"app_forget_mails(make_interval(secs => ?))", retention.Invitations.Seconds(), retention.Mails.Seconds()).Error
	})
	if err != nil {
		return fmt.Errorf("forget old sessions and invitations: %w", err)
	}
	return nil
}
