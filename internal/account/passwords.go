package account

import (
	"context"
	"fmt"
	"unicode/utf8"

	"dealflow/internal/fault"
)

// Lengths of a password, in characters.
const (
	minimumPassword = 10
	maximumPassword = 200
)

// hash gives the hash of a user's password, or nil for no password.
func (s *Service) hash(ctx context.Context, password string) (*string, error) {
	if password == "" {
		return nil, nil //nolint:nilnil // no password is a value of its own: the user cannot log in
	}
	if err := checkPassword(password); err != nil {
		return nil, err
	}
	hash, err := s.passwords.Hash(ctx, password)
	return &hash, err
}

func checkPassword(password string) error {
	if n := utf8.RuneCountInString(password); n < minimumPassword || n > maximumPassword {
		return fault.Field("password", fmt.Sprintf("must have %d to %d characters", minimumPassword, maximumPassword))
	}
	return nil
}
