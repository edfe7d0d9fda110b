package hooks

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/reseal"
	"dealflow/internal/seal"
)

// sealPurpose makes the keys of this package differ from all others that are derived from the same secrets.
const sealPurpose = "dealflow integrations 1"

// box encrypts the secrets of integrations. They are not hashed, since a signature can be checked only with the secret
// itself.
type box struct{ *seal.Box }

func newBox(secrets [][]byte) (*box, error) {
	made, err := seal.New(secrets, sealPurpose)
	return &box{made}, err
}

// seal encrypts a text. open decrypts it only for the same member of the same integration.
func (b *box) seal(id uuid.UUID, member, text string) []byte { return b.Seal(id.String()+member, text) }

// open decrypts a text that seal returned. It returns an error if none of the keys can decrypt it.
func (b *box) open(id uuid.UUID, member string, sealed []byte) (string, error) {
	text, err := b.Open(id.String()+member, sealed)
	if err != nil {
		return "", fmt.Errorf("the %s of integration %s, which can be rotated: %w", member, id, err)
	}
	return text, nil
}

// Reseal encrypts the token, the secret and the signing key of all integrations again with the first of these secrets,
// so that the other secrets are no longer needed. The errors and the result are those of reseal.All.
func Reseal(ctx context.Context, db *postgres.DB, secrets [][]byte) (reseal.Result, error) {
	made, err := newBox(secrets)
	if err != nil {
		return reseal.Result{}, err
	}
	members := []string{sealedToken, sealedSecret, sealedSigningKey}
	return reseal.All(ctx, db, made.Box, members,
		func(id uuid.UUID, member string) string { return id.String() + member })
}
