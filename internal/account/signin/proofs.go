package signin

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/outbox"
	"dealflow/internal/fault"
	passwords "dealflow/internal/password"
	"dealflow/internal/postgres"
	"dealflow/internal/secret"
)

// mailVerification asks the transaction's user, by mail, to prove their address.
func (s *Service) mailVerification(tx *postgres.Tx, email string) error {
	if s.mailBase == "" {
		return nil
	}
	return outbox.Add(tx, outbox.Verification, email, tx.UserID(), uuid.Nil, s.mailBase)
}

// AskVerification mails the user a link that proves their address; nothing where it is proven already. Conflict where
// no mails are sent.
func (s *Service) AskVerification(ctx context.Context, user uuid.UUID) error {
	if s.mailBase == "" {
		return fault.New(fault.Conflict, "mail_off", fault.Detail{
			Field: "email", Message: "this service sends no mails: ask the operator to run dealflow user verify",
		})
	}
	known, err := s.accounts.UserByID(ctx, user, user)
	if err != nil || known.ProvenAt != nil {
		return err
	}
	return s.db.As(ctx, user, func(tx *postgres.Tx) error { return s.mailVerification(tx, known.Email) })
}

// VerifyEmail takes a token that was mailed as proof of its user's address. InvalidBody for a token that proves
// nothing, Conflict where another user has proven the address.
func (s *Service) VerifyEmail(ctx context.Context, token string) error {
	var verified *bool
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_verify_email(decode(?, 'hex'))", secret.Hash(token)).Scan(&verified).Error
	})
	switch {
	case err != nil:
		return fmt.Errorf("verify the address: %w", err)
	case verified == nil:
		return invalidToken()
	case !*verified:
		return provenElsewhere()
	}
	return nil
}

func invalidToken() error {
	return fault.New(fault.InvalidBody, "invalid_token",
		fault.Detail{Field: "token", Message: "is unknown, was used, or has expired: ask for another mail"})
}

// VerifyEmailBy is VerifyEmail for a page: who opens a link that they did not ask for must not prove the address for
// another, so the user's password is asked for too. Unauthenticated where it is another.
func (s *Service) VerifyEmailBy(ctx context.Context, token, password string, guard Guard) error {
	user, err := s.proofUser(ctx, token, outbox.Verification)
	if err != nil {
		return err
	}
	if err := s.confirm(ctx, account.Caller{UserID: user}, password, guard); err != nil {
		return err
	}
	return s.VerifyEmail(ctx, token)
}

// proofUser returns to whom a token was mailed; InvalidBody where it proves nothing.
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

// AskReset mails whoever has an address how to choose a new password. It neither returns nor takes time by who that
// is: the mail's sender looks.
func (s *Service) AskReset(ctx context.Context, email string) error {
	email, err := account.Address(email)
	if err != nil || s.mailBase == "" {
		return nil //nolint:nilerr // nobody has what is no address, which is answered like any other
	}
	return s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return outbox.Add(tx, outbox.Reset, email, uuid.Nil, uuid.Nil, s.mailBase)
	})
}

// ResetPassword sets the password of the user to whom the token was mailed, ends their sessions, and takes the token
// as proof of their address. InvalidBody for a token that proves nothing.
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
