package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// Joined is an account as one of its members sees it.
type Joined struct {
	Account

	Role string // the member's
}

// Accounts lists the accounts that the user is a member of, oldest membership first.
func (s *Service) Accounts(ctx context.Context, user uuid.UUID) ([]Joined, error) {
	joined := []Joined{}
	err := s.db.As(ctx, user, func(tx *postgres.Tx) error {
		return tx.Raw(`SELECT a.id, a.name, a.created_at, a.updated_at, m.role FROM accounts a JOIN memberships m ON m.account_id = a.id
			WHERE m.user_id = ? ORDER BY m.created_at, a.id`, user).Scan(&joined).Error
	})
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return joined, nil
}
