package signin

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/secret"
)

func invalidToken() error {
	return fault.New(fault.InvalidBody, "invalid_token",
		fault.Detail{Field: "token", Message: "is unknown, was used, or has expired: ask for another mail"})
}

// proofUser returns the user for whom a token of this kind was made; the error is InvalidBody if it is unknown or no
// longer works.
func (s *Service) proofUser(ctx context.Context, token, kind string) (uuid.UUID, error) {
	var user uuid.NullUUID
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_proof_user(decode(?, 'hex'), ?)", secret.Hash(token), kind).Scan(&user).Error
	})
	if err != nil {
		return uuid.Nil, fmt.Errorf("look up the token: %w", err)
	}
	if !user.Valid {
		return uuid.Nil, invalidToken()
	}
	return user.UUID, nil
}
