package signin

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/outbox"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/secret"
)

// mailVerification stores a mail to the transaction's user with a link that proves their address. It does nothing if
// the service sends no mails, or if the address got outbox.PerHour such mails in the last hour.
func (s *Service) mailVerification(tx *postgres.Tx, email string) error {
	if s.mailBase == "" {
		return nil
	}
	_, err := outbox.Add(tx, outbox.Verification, email, tx.UserID(), uuid.Nil, s.mailBase)
	return err
}

// AskVerification stores a mail to the user with a link that proves their address; it is sent soon. It stores nothing
// and returns 0 if the address is proven, or if it got outbox.PerHour such mails in the last hour, which users may not
// learn. If this user requested that many, it returns how long they must wait. The error is Conflict if the service
// sends no mails.
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
// token that is unknown or has expired, and Conflict if another user has proven the address.
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

// VerifyEmailBy is VerifyEmail for the page behind a mailed link. It also requires the password of the user: otherwise
// a person who opens a link that they did not request would prove the address for the user who did. The error is
// InvalidBody for a token that is unknown or has expired, Unauthenticated if the password is wrong, Unavailable if too
// many passwords are being compared, Conflict if another user has proven the address, or that of the guard.
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
