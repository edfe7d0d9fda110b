// Package secret makes the random tokens that prove who has them, and hashes them for what is kept.
package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// New returns 260 random bits as 52 characters: rand.Text has 26 of base32.
func New() string { return strings.ToLower(rand.Text() + rand.Text()) }

// Hash returns what is kept of a secret, in hexadecimal. A secret is random enough that a slow hash would add nothing.
func Hash(secret string) string {
	hash := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(hash[:])
}
