// Package secret generates random tokens, such as those of sessions, and the hashes that are stored in their place.
package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// New returns 260 random bits as 52 lower-case letters and digits: rand.Text returns 26 characters of base32.
func New() string { return strings.ToLower(rand.Text() + rand.Text()) }

// IsOne reports whether a text has the form of a secret from New: 52 lower-case letters a to z and digits 2 to 7.
func IsOne(text string) bool {
	return len(text) == 52 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// Hash returns the SHA-256 hash of a secret from New, in hexadecimal. A slow hash is not needed, since the secret is
// random and long.
func Hash(secret string) string {
	hash := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(hash[:])
}
