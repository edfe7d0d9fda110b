package signin

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	passwords "dealflow/internal/password"
	"dealflow/internal/postgres"
)

// hash checks a password and returns its hash, or nil for "". The hash has the same salt as the hashes of others, who
// are the other users with the same address: see password.Hasher.HashLike. The error is InvalidBody for a weak
// password, or that of HashLike, which is Unavailable if too many passwords are being hashed.
func (s *Service) hash(ctx context.Context, password string, others []claim) (*string, error) {
	if password == "" {
		return nil, nil //nolint:nilnil // nil means no password: the user cannot log in
	}
	if err := passwords.Check("password", password); err != nil {
		return nil, err
	}
	hash, err := s.passwords.HashLike(ctx, password, hashesOf(others))
	return &hash, err
}

// hashFor is hash for an existing user. The error is also NotFound if there is no such user.
func (s *Service) hashFor(ctx context.Context, user uuid.UUID, password string) (*string, error) {
	known, err := s.accounts.UserByID(ctx, user, user)
	if err != nil {
		return nil, err
	}
	claims, err := s.claims(ctx, known.Email)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(claims, func(c claim) bool { return c.UserID == user })
	return s.hash(ctx, password, others)
}

// SetPassword changes a user's password and ends all of their sessions, for the operator. The error is InvalidBody for
// an empty or weak password, NotFound if there is no such user.
func (s *Service) SetPassword(ctx context.Context, user uuid.UUID, password string) error {
	if password == "" {
		return fault.Field("password", "is empty")
	}
	return s.setPassword(ctx, account.Caller{UserID: user}, "password", password, nil)
}

// ChangePassword changes the caller's password and ends all of their sessions but the one that the caller sent. The
// error is InvalidBody for a weak new password, Unauthenticated if the current one is wrong or there is none,
// Unavailable if too many passwords are being compared, or that of the guard.
func (s *Service) ChangePassword(
	ctx context.Context, caller account.Caller, current, password string, guard Guard,
) error {
	if err := passwords.Check("new_password", password); err != nil {
		return err
	}
	own, err := s.confirm(ctx, caller, current, guard)
	if err != nil {
		return err
	}
	return s.setPassword(ctx, caller, "new_password", password, own.keep)
}

// confirm checks the caller's current password, and returns the caller as a claim. The error is Unauthenticated if the
// password is wrong or the caller has none, Unavailable if too many passwords are being compared, otherwise that of the
// guard.
func (s *Service) confirm(ctx context.Context, caller account.Caller, current string, guard Guard) (claim, error) {
	known, err := s.accounts.UserByID(ctx, caller.UserID, caller.UserID)
	if err != nil {
		return claim{}, err
	}
	own := claim{UserID: caller.UserID}
	err = s.db.As(ctx, caller.UserID, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_own_password()").Scan(&own.PasswordHash).Error
	})
	if err != nil {
		return claim{}, fmt.Errorf("read the password of the caller: %w", err)
	}
	return s.verify(ctx, known.Email, current, []claim{own}, guard)
}

// setPassword sets the caller's password, and ends all of their sessions except the one that sent the request. If
// before is not nil, it is called first in the same transaction, and its error prevents the change. The error is
// InvalidBody and names field if the password is weak.
func (s *Service) setPassword(
	ctx context.Context, caller account.Caller, field, password string, before func(*postgres.Tx) error,
) error {
	if err := passwords.Check(field, password); err != nil {
		return err
	}
	hash, err := s.hashFor(ctx, caller.UserID, password)
	if err != nil {
		return err
	}
	return s.db.As(ctx, caller.UserID, func(tx *postgres.Tx) error {
		if before != nil {
			if err := before(tx); err != nil {
				return err
			}
		}
		if err := tx.Exec("UPDATE users SET password_hash = ?, updated_at = now() WHERE id = ?", hash,
			caller.UserID).Error; err != nil {
			return fmt.Errorf("set the password: %w", err)
		}
		return tx.Exec("DELETE FROM sessions WHERE user_id = ? AND id <> ?", caller.UserID, caller.SessionID).Error
	})
}
