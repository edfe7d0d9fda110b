package hooks

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/reseal"
	"dealflow/internal/seal"
)

// sealPurpose keeps the keys that seal apart from all others that are made of the same secrets.
const sealPurpose = "dealflow integrations 1"

// box seals what must be read again: a secret that proves a signature cannot be kept as a hash.
type box struct{ *seal.Box }

func newBox(secrets [][]byte) (*box, error) {
	made, err := seal.New(secrets, sealPurpose)
	return &box{made}, err
}

// seal closes a text; it opens as this member of this integration alone.
func (b *box) seal(id uuid.UUID, member, text string) []byte { return b.Seal(id.String()+member, text) }

// open returns the text; an error where none of the keys sealed it.
func (b *box) open(id uuid.UUID, member string, sealed []byte) (string, error) {
	text, err := b.Open(id.String()+member, sealed)
	if err != nil {
		return "", fmt.Errorf("the %s of integration %s, which can be rotated: %w", member, id, err)
	}
	return text, nil
}

// Reseal seals the secrets of all integrations anew with the first of the secrets, so that the others can be dropped.
func Reseal(ctx context.Context, db *postgres.DB, secrets [][]byte) (reseal.Result, error) {
	made, err := newBox(secrets)
	if err != nil {
		return reseal.Result{}, err
	}
	members := []string{sealedToken, sealedSecret, sealedSigningKey}
	return reseal.All(ctx, db, made.Box, members,
		func(id uuid.UUID, member string) string { return id.String() + member })
}
