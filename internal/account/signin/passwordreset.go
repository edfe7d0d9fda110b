package signin

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/outbox"
	"dealflow/internal/fault"
	passwords "dealflow/internal/password"
	"dealflow/internal/postgres"
	"dealflow/internal/secret"
)

// mailVerification mails the transaction's user a link that proves their address. It does nothing if the service sends
// no mails, or if the address got outbox.PerHour such mails in the last hour.
func (s *Service) mailVerification(tx *postgres.Tx, email string) error {
	if s.mailBase == "" {
		return nil
	}
	_, err := outbox.Add(tx, outbox.Verification, email, tx.UserID(), uuid.Nil, s.mailBase)
	return err
}

// AskVerification mails the user a link that proves their address; nothing if it is proven already. If the user asked
// for outbox.PerHour such mails in the last hour, it mails nothing, and returns after how long they may ask again. The
// error is Conflict if no mails are sent.
func (s *Service) AskVerification(ctx context.Context, user uuid.UUID) (wait time.Duration, err error) {
	if s.mailBase == "" {
		return 0, fault.New(fault.Conflict, "mail_off", fault.Detail{
			Field: "email", Message: "this service sends no mails: ask the operator to run dealflow user verify",
		})
	}
	known, err := s.accounts.UserByID(ctx, user, user)
	if err != nil || known.ProvenAt != nil {
		return 0, err
	}
	err = s.db.As(ctx, user, func(tx *postgres.Tx) (err error) {
		if wait, err = outbox.Wait(tx, outbox.Verification); err != nil || wait > 0 {
			return err
		}
		return s.mailVerification(tx, known.Email)
	})
	return wait, err
}

// VerifyEmail marks the address of the user to whom the token was mailed as proven. The error is InvalidBody for a
// token that is unknown or no longer works, Conflict if another user has proven the address.
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

// VerifyEmailBy is VerifyEmail for the page behind a mailed link. It also requires the password of the user: otherwise
// a person who opens a link that they did not request would prove their address for the user who did. The error is
// InvalidBody for a token that is unknown or no longer works, Unauthenticated if the password is wrong, the error of
// the guard, and Conflict if another user has proven the address.
func (s *Service) VerifyEmailBy(ctx context.Context, token, password string, guard Guard) error {
	user, err := s.proofUser(ctx, token, outbox.Verification)
	if err != nil {
		return err
	}
	if _, err := s.confirm(ctx, account.Caller{UserID: user}, password, guard); err != nil {
		return err
	}
	return s.VerifyEmail(ctx, token)
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
// address as proven. The error is InvalidBody for a weak password, and for a token that is unknown or no longer works.
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
