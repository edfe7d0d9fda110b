// Package seal encrypts small secrets that must be read again, with keys derived from SECRET_KEYS.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// ErrKey is the error for a text that none of the keys opens.
var ErrKey = errors.New("sealed with a key that is no longer in SECRET_KEYS: add that key again")

// Box seals texts and opens them. The first key seals, all open. A Box is safe for concurrent use.
type Box struct{ keys []cipher.AEAD }

// New returns a box whose keys are derived from the secrets, in their order, for one purpose. Boxes with different
// purposes cannot open each other's texts. It returns an error if there is no secret.
func New(secrets [][]byte, purpose string) (*Box, error) {
	b := &Box{}
	for _, secret := range secrets {
		key, err := hkdf.Key(sha256.New, secret, nil, purpose, 32)
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

// Seal returns the text encrypted, differently each time. Open needs the same associated data, such as the id of the
// row, so that nobody can move the sealed text to another row.
func (b *Box) Seal(associated, text string) []byte {
	return b.keys[0].Seal(nil, nil, []byte(text), []byte(associated)) //nolint:gosec // G407: the nonce is random
}

// Open returns the text that was sealed with this associated data. The error is ErrKey if none of the keys opens it.
func (b *Box) Open(associated string, sealed []byte) (string, error) {
	for _, key := range b.keys {
		if text, err := key.Open(nil, nil, sealed, []byte(associated)); err == nil {
			return string(text), nil
		}
	}
	return "", ErrKey
}

// Renew seals a sealed text again with the first key. If the first key has sealed it already, fresh is true and again
// is nil. The error is ErrKey if none of the keys sealed it with this associated data.
func (b *Box) Renew(associated string, sealed []byte) (again []byte, fresh bool, err error) {
	if _, err := b.keys[0].Open(nil, nil, sealed, []byte(associated)); err == nil {
		return nil, true, nil
	}
	text, err := b.Open(associated, sealed)
	if err != nil {
		return nil, false, err
	}
	return b.Seal(associated, text), false, nil
}
