package signin

import (
	"crypto/rand"
	"fmt"
	"strings"

	"dealflow/internal/postgres"
	"dealflow/internal/secret"
)

// recoveryCodes is how many codes a user gets.
const recoveryCodes = 10

func addRecoveryCodes(tx *postgres.Tx) ([]string, error) {
	codes := make([]string, recoveryCodes)
	for i := range codes {
		codes[i] = newRecoveryCode()
		hash := secret.Hash(plainCode(codes[i]))
		err := tx.Exec("INSERT INTO recovery_codes (user_id, hash) VALUES (?, decode(?, 'hex'))", tx.UserID(), hash).Error
		if err != nil {
			return nil, fmt.Errorf("store a recovery code: %w", err)
		}
	}
	return codes, nil
}

// newRecoveryCode returns 80 random bits as four groups of four lower-case letters and digits, with hyphens between.
func newRecoveryCode() string {
	text := strings.ToLower(rand.Text())
	return text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:16]
}
