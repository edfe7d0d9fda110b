package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/reseal"
	"dealflow/internal/seal"
	"dealflow/internal/secret"
)

// SealPurpose is the purpose with which the caller must create the box in Options.Seal.
const SealPurpose = "dealflow second factors 1"

// NewFactor is a second factor that is not active yet. It cannot be read again later.
type NewFactor struct {
	Secret string // base32
	URL    string // for a QR code
}

// factor is a second factor as it is stored.
type factor struct {
	Secret      []byte // sealed
	ConfirmedAt *time.Time
	LastStep    int64
}

// HasFactor reports whether the user has an active second factor.
func (s *Service) HasFactor(ctx context.Context, user uuid.UUID) (active bool, err error) {
	err = s.db.As(ctx, user, func(tx *postgres.Tx) error {
		query := "SELECT EXISTS (SELECT 1 FROM second_factors WHERE user_id = ? AND confirmed_at IS NOT NULL)"
		return tx.Raw(query, user).Scan(&active).Error
	})
	return active, err
}

// StartFactor creates a second factor of the caller, which ConfirmFactor activates. It replaces a second factor that is
// not active. The error is Forbidden if the caller sent an API key, Conflict if a factor is active, or one of the
// errors of ChangePassword for the password. In a service without Options.Seal it always returns an error.
func (s *Service) StartFactor(
	ctx context.Context, caller account.Caller, password string, guard Guard,
) (NewFactor, error) {
	if err := caller.RequireSession(); err != nil {
		return NewFactor{}, err
	}
	if s.seal == nil {
		return NewFactor{}, errNoSeal()
	}
	own, err := s.confirm(ctx, caller, password, guard)
	if err != nil {
		return NewFactor{}, err
	}
	known, err := s.accounts.UserByID(ctx, caller.UserID, caller.UserID)
	if err != nil {
		return NewFactor{}, err
	}
	secret := newTOTPSecret()
	err = s.db.Write(ctx, caller.UserID, func(tx *postgres.Tx) error {
		if err := own.keep(tx); err != nil {
			return err
		}
		done := tx.Exec(`INSERT INTO second_factors (user_id, secret) VALUES (?, ?) ON CONFLICT (user_id)
			DO UPDATE SET secret = EXCLUDED.secret WHERE second_factors.confirmed_at IS NULL`,
			caller.UserID, s.seal.Seal(caller.UserID.String(), secret))
		if done.Error == nil && done.RowsAffected == 0 {
			return conflict("totp_enabled", "totp", "is on already: turn it off first")
		}
		return done.Error
	})
	return NewFactor{Secret: secret, URL: totpURL(known.Email, secret)}, err
}

func conflict(code, field, message string) error {
	return fault.New(fault.Conflict, code, fault.Detail{Field: field, Message: message})
}

func errNoSeal() error { return errors.New("this process has no key that opens second factors") }

// ConfirmFactor activates the caller's second factor if the code of the app is right, and returns the recovery codes.
// The error is Forbidden if the caller sent an API key, Conflict if the caller has no factor that waits to be
// activated, and InvalidBody if the code is wrong or was used.
func (s *Service) ConfirmFactor(ctx context.Context, caller account.Caller, code string) (codes []string, err error) {
	if err := caller.RequireSession(); err != nil {
		return nil, err
	}
	err = s.db.Write(ctx, caller.UserID, func(tx *postgres.Tx) error {
		found, err := lockFactor(tx)
		if err != nil {
			return err
		}
		if found == nil || found.ConfirmedAt != nil {
			return conflict("totp_not_started", "code", "nothing waits for it: start with POST /auth/totp")
		}
		passed, err := s.passCode(tx, found, code)
		if err != nil {
			return err
		}
		if !passed {
			return fault.Field("code", "is wrong or too old: give the one that the app shows now")
		}
		if err := tx.Exec("UPDATE second_factors SET confirmed_at = now() WHERE user_id = ?", tx.UserID()).Error; err != nil {
			return fmt.Errorf("activate the second factor: %w", err)
		}
		codes, err = addRecoveryCodes(tx)
		return err
	})
	return codes, err
}

// StopFactor deletes the caller's second factor, active or not, and their recovery codes, and ends their other
// sessions. The error is Forbidden for a caller with a key, NotFound if they have no factor, or one of the errors of
// ChangePassword for the password.
func (s *Service) StopFactor(ctx context.Context, caller account.Caller, password string, guard Guard) error {
	if err := caller.RequireSession(); err != nil {
		return err
	}
	own, err := s.confirm(ctx, caller, password, guard)
	if err != nil {
		return err
	}
	return s.db.Write(ctx, caller.UserID, func(tx *postgres.Tx) error {
		if err := own.keep(tx); err != nil {
			return err
		}
		if err := dropFactor(tx); err != nil {
			return err
		}
		return tx.Exec("DELETE FROM sessions WHERE user_id = ? AND id <> ?", caller.UserID, caller.SessionID).Error
	})
}

// RemoveFactor deletes a user's second factor and recovery codes, for the operator. The user's sessions do not end. The
// error is NotFound if the user has no second factor.
func (s *Service) RemoveFactor(ctx context.Context, user uuid.UUID) error {
	return s.db.Write(ctx, user, dropFactor)
}

func dropFactor(tx *postgres.Tx) error {
	if err := tx.Exec("DELETE FROM recovery_codes WHERE user_id = ?", tx.UserID()).Error; err != nil {
		return fmt.Errorf("drop the recovery codes: %w", err)
	}
	done := tx.Exec("DELETE FROM second_factors WHERE user_id = ?", tx.UserID())
	if done.Error == nil && done.RowsAffected == 0 {
		return fault.NewNotFound()
	}
	return done.Error
}

// lockFactor returns the second factor of the transaction's user, or nil if they have none. It locks the row until the
// transaction ends, so that codes of a factor are checked one after the other.
func lockFactor(tx *postgres.Tx) (*factor, error) {
	var found []factor
	query := "SELECT secret, confirmed_at, last_step FROM second_factors WHERE user_id = ? FOR UPDATE"
	err := tx.Raw(query, tx.UserID()).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("read the second factor: %w", err)
	}
	if len(found) == 0 {
		return nil, nil //nolint:nilnil // nil means none
	}
	return &found[0], nil
}

// errWrongCode ends the transaction of a login with a wrong code.
var errWrongCode = errors.New("the code of the second factor is wrong")

// attempt is a login that has not passed the second factor yet. It is empty for a login by a link, which passes no
// code.
type attempt struct {
	email string
	owner uuid.UUID // as in Guard
	user  *claim    // whose password was right; nil for a login by a link
	code  string    // of the second factor; "" for none
	guard Guard
}

func newAttempt(email, code string, claims []claim, user claim, guard Guard) attempt {
	return attempt{email: strings.TrimSpace(email), owner: ownerOf(claims), user: &user, code: code, guard: guard}
}

// passFactor returns nil if the transaction's user has no active second factor, or the attempt has a code that was not
// used yet: of the app, or a recovery code. It returns Unauthenticated with the code totp_required if the attempt has
// no code, errWrongCode for a wrong code, and an error of Guard.Allow unchanged.
func (s *Service) passFactor(tx *postgres.Tx, in attempt) error {
	found, err := lockFactor(tx)
	if err != nil || found == nil || found.ConfirmedAt == nil {
		return err
	}
	if strings.TrimSpace(in.code) == "" {
		return fault.New(fault.Unauthenticated, "totp_required", fault.Detail{
			Field: "totp_code", Message: "is needed: the user has a second factor",
		})
	}
	if err := in.guard.Allow(in.email, in.owner); err != nil { // again, after the wait for the lock
		return err
	}
	passed, err := s.passCode(tx, found, in.code)
	if err != nil || passed {
		return err
	}
	hash := secret.Hash(plainCode(in.code))
	used := tx.Exec("DELETE FROM recovery_codes WHERE user_id = ? AND hash = decode(?, 'hex')", tx.UserID(), hash)
	if used.Error != nil {
		return fmt.Errorf("use a recovery code: %w", used.Error)
	}
	if used.RowsAffected == 0 {
		return errWrongCode
	}
	return nil
}

// passCode reports whether code is right for a second factor and was not used yet, and marks it as used. It accepts
// codes of the app only, of the current step of 30 seconds and one step before and after. It returns an error if the
// secret of the factor cannot be decrypted.
func (s *Service) passCode(tx *postgres.Tx, found *factor, code string) (bool, error) {
	if s.seal == nil {
		return false, errNoSeal()
	}
	secret, err := s.seal.Open(tx.UserID().String(), found.Secret)
	if err != nil {
		return false, fmt.Errorf("the second factor of user %s, which the operator can turn off: %w", tx.UserID(), err)
	}
	step, err := matchTOTP(secret, plainCode(code), s.now(), found.LastStep)
	if err != nil || step == 0 {
		return false, err
	}
	if err := tx.Exec("UPDATE second_factors SET last_step = ? WHERE user_id = ?", step, tx.UserID()).Error; err != nil {
		return false, fmt.Errorf("note the use of a code: %w", err)
	}
	return true, nil
}

// admit begins a session of a user whose password or link was right. In one transaction it checks that the password, if
// one was used, did not change meanwhile, checks the second factor (see passFactor), calls before unless that is nil,
// and begins the session. For a wrong code it calls guard.Failed and returns Unauthenticated, or the error of
// guard.Failed.
func (s *Service) admit(
	ctx context.Context, user uuid.UUID, in attempt, before func(*postgres.Tx) error,
) (entry Entry, err error) {
	err = s.db.Write(ctx, user, func(tx *postgres.Tx) error {
		if in.user != nil {
			if err := in.user.keep(tx); err != nil {
				return err
			}
		}
		if err := s.passFactor(tx, in); err != nil {
			return err
		}
		if before != nil {
			if err := before(tx); err != nil {
				return err
			}
		}
		entry, err = s.begin(tx)
		return err
	})
	if errors.Is(err, errWrongCode) {
		s.refused(ctx, user)
		return Entry{}, in.guard.wrong(in.email, in.owner)
	}
	return entry, err
}

// sealedMember is the name of the secrets of second factors in reseal.All.
const sealedMember = "totp"

// ResealFactors encrypts the stored second factors again with the first of secrets, which are the keys of SECRET_KEYS,
// so that the operator can drop the others. The errors and the result are those of reseal.All.
func ResealFactors(ctx context.Context, db *postgres.DB, secrets [][]byte) (reseal.Result, error) {
	box, err := seal.New(secrets, SealPurpose)
	if err != nil {
		return reseal.Result{}, err
	}
	return reseal.All(ctx, db, box, []string{sealedMember}, func(id uuid.UUID, _ string) string { return id.String() })
}
