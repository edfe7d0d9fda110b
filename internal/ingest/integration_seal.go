package ingest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// sealPurpose keeps the keys that seal apart from all others that are made of the same secrets.
const sealPurpose = "dealflow integrations 1"

// box seals what must be read again: a secret that proves a signature cannot be kept as a hash. The first key seals, all open.
type box struct{ keys []cipher.AEAD }

func newBox(secrets [][]byte) (*box, error) {
	b := &box{}
	for _, secret := range secrets {
		key, err := hkdf.Key(sha256.New, secret, nil, sealPurpose, 32)
		if err != nil {
			return nil, fmt.Errorf("derive a key: %w", err)
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, fmt.Errorf("make a cipher: %w", err)
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, fmt.Errorf("make a cipher: %w", err)
		}
		b.keys = append(b.keys, aead)
	}
	if len(b.keys) == 0 {
		return nil, errors.New("SECRET_KEYS holds no key to seal with")
	}
	return b, nil
}

// seal closes a text; it opens as this member of this integration alone.
func (b *box) seal(id uuid.UUID, member, text string) []byte {
	return b.keys[0].Seal(nil, nil, []byte(text), []byte(id.String()+member)) //nolint:gosec // G407: the cipher makes a random nonce of its own
}

// open gives the text; an error where none of the keys sealed it.
func (b *box) open(id uuid.UUID, member string, sealed []byte) (string, error) {
	for _, key := range b.keys {
		if text, err := key.Open(nil, nil, sealed, []byte(id.String()+member)); err == nil {
			return string(text), nil
		}
	}
	return "", fmt.Errorf("the %s of integration %s was sealed with a key that is no longer in SECRET_KEYS: add that key again, or rotate the secret", member, id)
}
