package signin

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/outbox"
	passwords "dealflow/internal/password"
	"dealflow/internal/postgres"
	"dealflow/internal/secret"
)

// AskReset stores a mail to an address with a link by which the user who has the address can choose a new password.
// Whether there is such a user is looked up only when the mail is sent, so that neither the result nor the duration of
// AskReset shows it. AskReset does nothing, and returns nil, if the address is invalid, if it got outbox.PerHour such
// mails in the last hour, or if the service sends no mails.
func (s *Service) AskReset(ctx context.Context, email string) error {
	email, err := account.Address(email)
	if err != nil || s.mailBase == "" {
		return nil //nolint:nilerr // an invalid address is answered like one that nobody has
	}
	return s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		_, err := outbox.Add(tx, outbox.Reset, email, uuid.Nil, uuid.Nil, s.mailBase)
		return err
	})
}

// ResetPassword sets the password of the user to whom the token was mailed, ends their sessions, and marks their
// address as proven. If it was not proven before, it also deletes their API keys, second factor and recovery codes,
// which another person may have made. The error is InvalidBody for a weak password, for a token that is unknown or no
// longer works, and if another user has proven the address; Unavailable if too many passwords are being hashed.
func (s *Service) ResetPassword(ctx context.Context, token, password string) error {
	if err := passwords.Check("password", password); err != nil {
		return err
	}
	user, err := s.proofUser(ctx, token, outbox.Reset)
	if err != nil {
		return err
	}
	hash, err := s.hashFor(ctx, user, password)
	if err != nil {
		return err
	}
	var done uuid.NullUUID
	err = s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_reset_password(decode(?, 'hex'), ?)", secret.Hash(token), hash).Scan(&done).Error
	})
	if err != nil {
		return fmt.Errorf("reset the password: %w", err)
	}
	if !done.Valid {
		return invalidToken()
	}
	return nil
}
