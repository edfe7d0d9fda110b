package visitor

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/share"
)

// PassLifetime is how long a person who entered the password of a link can open it without entering it again.
const PassLifetime = time.Hour

// PublicLink is a link that was found by its code. The caller must still check whether the visitor may open it.
// ExpiresAt is nil if the link does not expire.
type PublicLink struct {
	LinkID    uuid.UUID
	AccountID uuid.UUID
	Expired   bool
	ExpiresAt *time.Time
	AskEmail  bool

	maker uuid.UUID
	hash  *string // of the password; nil: the link has none
}

// Guard limits the guessing of passwords. Both functions are required.
type Guard struct {
	Allow  func() error // called right before a password is compared; its error is returned to the visitor
	Failed func() error // called after a wrong password; its error is returned to the visitor
}

// Find returns the link with this code, even if it has expired: see Expired. The error is NotFound if there is no such
// link, or if the user who created it is no longer a member of the team.
func (s *Service) Find(ctx context.Context, code string) (PublicLink, error) {
	var found struct {
		LinkID, AccountID, CreatedBy uuid.UUID
		PasswordHash                 *string
		ExpiresAt                    *time.Time
		AskEmail                     bool
	}
	if !share.IsCode(code) { // a path can hold characters that Postgres refuses
		return PublicLink{}, fault.NewNotFound()
	}
	err := s.deps.DB.AsNobody(ctx, func(tx *postgres.Tx) error {
		got := tx.Raw("SELECT link_id, account_id, created_by, password_hash, expires_at, ask_email FROM "+
			"app_link_by_code(?)", code).Scan(&found)
		return single(got.RowsAffected, got.Error, "look up the short code")
	})
	over := found.ExpiresAt != nil && !found.ExpiresAt.After(s.deps.Now())
	return PublicLink{
		LinkID: found.LinkID, AccountID: found.AccountID, Expired: over, ExpiresAt: found.ExpiresAt,
		AskEmail: found.AskEmail,
		maker:    found.CreatedBy, hash: found.PasswordHash,
	}, err
}

// Unlock returns a pass if the password is right. Admits accepts the pass for PassLifetime. For a link without a
// password, which needs no pass, Unlock returns "" and does not call the guard. The error is Unauthenticated with the
// code wrong_password for a wrong password, the error of a function of the guard, or an error of the password hasher.
func (s *Service) Unlock(ctx context.Context, link PublicLink, password string, guard Guard) (pass string, err error) {
	if link.hash == nil {
		return "", nil
	}
	done, err := s.deps.Passwords.Take(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	if err := guard.Allow(); err != nil {
		return "", err
	}
	right := false
	if utf8.RuneCountInString(password) <= share.MaxPassword {
		if right, err = s.deps.Passwords.Match(password, link.hash); err != nil {
			return "", err
		}
	}
	if right {
		return s.pass(link, s.deps.Secrets[0], s.deps.Now().Add(PassLifetime).Unix()), nil
	}
	if err := guard.Failed(); err != nil {
		return "", err
	}
	return "", fault.New(fault.Unauthenticated, "wrong_password")
}

// Admits reports whether the link can be opened with this pass: it is a valid pass for this link and its current
// password, or the link has no password. Admits does not check whether the link has expired.
func (s *Service) Admits(link PublicLink, pass string) bool {
	if link.hash == nil {
		return true
	}
	until, _, _ := strings.Cut(pass, ".")
	at, err := strconv.ParseInt(until, 10, 64)
	if err != nil || s.deps.Now().Unix() >= at {
		return false
	}
	for _, secret := range s.deps.Secrets {
		if hmac.Equal([]byte(s.pass(link, secret, at)), []byte(pass)) {
			return true
		}
	}
	return false
}

// pass returns a signed pass that is valid until at, in Unix seconds. The link must have a password. The signed text
// begins with a line for this purpose, so that a signature made with the same secret for another purpose is not
// accepted. It contains the hash of the password, so that passes become invalid when the password changes.
func (s *Service) pass(link PublicLink, secret []byte, at int64) string {
	until := strconv.FormatInt(at, 10)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("dealflow shared link v1\n" + link.LinkID.String() + "\n" + until + "\n" + *link.hash))
	return until + "." + hex.EncodeToString(mac.Sum(nil))
}
