package share

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"strings"
)

// A code has 12 characters out of 62. There are 3·10²¹ of these codes, so that nobody can guess one.
const (
	codeLength   = 12
	codeAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// IsCode reports whether a text has the form of a link's code. It does not look the code up.
func IsCode(text string) bool {
	return len(text) == codeLength && strings.Trim(text, codeAlphabet) == ""
}

func newCode() (string, error) {
	code := make([]byte, codeLength)
	for i := range code {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(codeAlphabet))))
		if err != nil {
			return "", fmt.Errorf("make a short code: %w", err)
		}
		code[i] = codeAlphabet[n.Int64()]
	}
	return string(code), nil
}
