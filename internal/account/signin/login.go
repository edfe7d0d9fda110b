package signin

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Guard limits how often passwords and codes may be guessed. Owner is the user whose password or code is to be
// compared, if that is known: the caller who is logged in, else the user who has proven the address, else the only one
// who claims it; otherwise uuid.Nil. Both functions are required.
type Guard struct {
	// called right before a password or code is compared; an error of it is returned to the client
	Allow func(email string, owner uuid.UUID) error
	// called after a wrong password or code, also for an address that nobody has; an error of it is returned to the
	// client
	Failed func(email string, owner uuid.UUID) error
}

// wrong reports a wrong password or code to Failed. It returns the error of Failed or, if that is nil, Unauthenticated.
func (g Guard) wrong(email string, owner uuid.UUID) error {
	if err := g.Failed(email, owner); err != nil {
		return err
	}
	return fault.New(fault.Unauthenticated, "invalid_credentials")
}

// Credentials are what somebody logs in with.
type Credentials struct {
	Email    string
	Password string
	TOTPCode string // or a recovery code; "" for none
}

// Login begins a session. A wrong password, an unknown address, a user without a password and a wrong code return the
// same Unauthenticated; the first three take the same time. A right password without the code that is needed is
// Unauthenticated with the code totp_required. The error may also be that of the guard, or Unavailable if too many
// passwords are being compared.
func (s *Service) Login(ctx context.Context, in Credentials, guard Guard) (Entry, error) {
	claims, err := s.claims(ctx, in.Email)
	if err != nil {
		return Entry{}, err
	}
	user, err := s.verify(ctx, in.Email, in.Password, claims, guard)
	if err != nil {
		return Entry{}, err
	}
	return s.admit(ctx, user.UserID, newAttempt(in.Email, in.TOTPCode, claims, user, guard), nil)
}

// verify returns the first user among the claims who has this password; if there are mostClaims of them, it also
// searches the other users with the address. If none has it, verify calls guard.Failed and returns Unauthenticated. An
// error of the guard is returned as it is; the error is Unavailable if too many passwords are being compared. The
// password may be another one by the time that verify returns: a transaction that relies on it must call keep first.
func (s *Service) verify(ctx context.Context, email, password string, claims []claim, guard Guard) (claim, error) {
	email = strings.TrimSpace(email)
	owner := ownerOf(claims)
	done, err := s.passwords.Take(ctx)
	if err != nil {
		return claim{}, err
	}
	defer done()
	if err := guard.Allow(email, owner); err != nil {
		return claim{}, err
	}
	match, err := s.passwords.MatchAny(password, hashesOf(claims))
	if err != nil {
		return claim{}, err
	}
	if match >= 0 {
		return claims[match], nil
	}
	if len(claims) >= mostClaims {
		if found, err := s.inCrowd(ctx, email, password, claims); err != nil || found.UserID != uuid.Nil {
			return found, err
		}
	}
	s.refused(ctx, owner)
	return claim{}, guard.wrong(email, owner)
}

// mostClaims is the maximum number of users that claims returns. The database function app_users_by_email has the same
// limit.
const mostClaims = 100

// inCrowd returns the user who has this address and password, or the zero claim. It searches all users with the
// address, of whom claims returned only the first mostClaims. Otherwise somebody could register mostClaims users with
// an address, and so keep other users with this address from logging in. first are the claims that claims returned. The
// caller must have called s.passwords.Take.
func (s *Service) inCrowd(ctx context.Context, email, password string, first []claim) (claim, error) {
	hashes, err := s.passwords.Variants(password, hashesOf(first))
	if err != nil {
		return claim{}, err
	}
	var found claim
	err = s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_user_by_password(?, ?::text[])", email, postgres.Strings(hashes)).Scan(&found).Error
	})
	if err != nil {
		return claim{}, fmt.Errorf("find the user with a password: %w", err)
	}
	return found, nil
}

// claim is a user who has this email address, proven or not.
type claim struct {
	UserID        uuid.UUID
	PasswordHash  *string
	Proven        bool
	HomeAccountID uuid.NullUUID // the account that an unproven user joined first
}

// keep returns Unauthenticated if the password of the user, who must be the transaction's user, is no longer the one
// that verify compared, or if there is none. It locks the user, so that nobody can change the password before the
// transaction ends. A later change ends all sessions, and so also the one that the transaction begins.
func (c claim) keep(tx *postgres.Tx) error {
	if err := tx.Exec("SELECT 1 FROM users WHERE id = ? FOR NO KEY UPDATE", tx.UserID()).Error; err != nil {
		return fmt.Errorf("lock the user: %w", err)
	}
	var now *string
	if err := tx.Raw("SELECT app_own_password()").Scan(&now).Error; err != nil {
		return fmt.Errorf("read the password again: %w", err)
	}
	if now == nil || c.PasswordHash == nil || *now != *c.PasswordHash {
		return fault.New(fault.Unauthenticated, "invalid_credentials")
	}
	return nil
}

// claims returns the users who have an address, at most mostClaims: first the one who has proven it, then the others,
// oldest first. It ignores case.
func (s *Service) claims(ctx context.Context, email string) ([]claim, error) {
	var found []claim
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_users_by_email(?)", strings.TrimSpace(email)).Scan(&found).Error
	})
	if err != nil {
		return nil, fmt.Errorf("find users: %w", err)
	}
	return found, nil
}

// ownerOf returns the user who has proven the address, or who alone claims it; uuid.Nil if there is no such user.
// claims is as the method claims returns it.
func ownerOf(claims []claim) uuid.UUID {
	if isProven(claims) || len(claims) == 1 {
		return claims[0].UserID
	}
	return uuid.Nil
}

func isProven(claims []claim) bool { return len(claims) > 0 && claims[0].Proven }

func hashesOf(claims []claim) []*string {
	hashes := make([]*string, len(claims))
	for i, c := range claims {
		hashes[i] = c.PasswordHash
	}
	return hashes
}
