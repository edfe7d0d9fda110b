package signin

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/secret"
)

// LinkLifetime is how long a link works that signs a user in.
const LinkLifetime = 15 * time.Minute

// LinkPath is the path of a link that signs a user in. The token follows it.
const LinkPath = "/signin/"

const proofSignIn = "sign_in"

// NewLink returns the token of a link that signs the user, who must exist, in once within LinkLifetime. It is for the
// operator's program alone: whoever has the link can log in as that user. Only the hash of the token is stored.
func (s *Service) NewLink(ctx context.Context, user uuid.UUID) (token string, err error) {
	token = secret.New()
	err = s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Exec("SELECT app_add_proof(decode(?, 'hex'), ?, ?, NULL, make_interval(secs => ?))",
			secret.Hash(token), proofSignIn, user, LinkLifetime.Seconds()).Error
	})
	if err != nil {
		return "", fmt.Errorf("keep a sign-in link: %w", err)
	}
	return token, nil
}

// LinkUser returns the user whom a link signs in. The link can still be used after that. The error is InvalidBody for a
// link that is unknown or has expired.
func (s *Service) LinkUser(ctx context.Context, token string) (account.User, error) {
	id, err := s.proofUser(ctx, token, proofSignIn)
	if err != nil {
		return account.User{}, err
	}
	return s.accounts.UserByID(ctx, id, id)
}

// EnterByLink begins a session of the user whom a link signs in. page is a secret of the web page that sends the token:
// see NewPageSecret. After the first page has used the link, only this page may send the token again, in case the
// answer was lost. The error is InvalidBody for a link that is unknown, was used by another page, or has expired, and
// if page is ""; Unauthenticated with the code totp_required for a user with a second factor.
func (s *Service) EnterByLink(ctx context.Context, token, page string) (Entry, error) {
	user, err := s.proofUser(ctx, token, proofSignIn)
	if err != nil {
		return Entry{}, err
	}
	if page == "" {
		return Entry{}, fault.Field("page", "is missing: open the link again")
	}
	return s.admit(ctx, user, attempt{}, func(tx *postgres.Tx) error {
		var used bool
		err := tx.Raw("SELECT app_use_sign_in_link(decode(?, 'hex'), decode(?, 'hex'))",
			secret.Hash(token), secret.Hash(page)).
			Scan(&used).Error
		if err == nil && !used {
			return invalidToken()
		}
		return err
	})
}

// NewPageSecret returns a secret for a web page, by which a form that is sent twice is recognized as sent by the same
// page.
func NewPageSecret() string { return secret.New() }
