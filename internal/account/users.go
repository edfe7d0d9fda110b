package account

import (
	"context"
	"fmt"
	"net/mail"
	"strings"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Lengths of a password, in characters.
const (
	minimumPassword = 10
	maximumPassword = 200
)

// CreateUser makes a user; without a password ("") he can use API keys but not log in. Conflict where the address is taken.
func (s *Service) CreateUser(ctx context.Context, email, name, password string) (User, error) {
	email, err := Address(email)
	if err != nil {
		return User{}, err
	}
	if name, err = required("name", name); err != nil {
		return User{}, err
	}
	hash, err := hashPassword(password)
	if err != nil {
		return User{}, err
	}
	if _, err := s.UserByEmail(ctx, email); err == nil {
		return User{}, fault.New(fault.Conflict, "email_taken", fault.Detail{Field: "email", Message: "a user with this address exists"})
	} else if !fault.Is(err, fault.NotFound) {
		return User{}, err
	}
	id := uuid.New()
	var made User
	err = s.db.As(ctx, id, func(tx *postgres.Tx) error {
		if err := tx.Exec("SELECT app_create_user(?, ?, ?, ?)", id, email, name, hash).Error; err != nil {
			return fmt.Errorf("create user: %w", err)
		}
		return tx.First(&made, "id = ?", id).Error
	})
	return made, err
}

// UserByEmail gives the id of the user with this address, whatever its case; NotFound where there is none.
func (s *Service) UserByEmail(ctx context.Context, email string) (uuid.UUID, error) {
	var id uuid.NullUUID
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT user_id FROM app_user_by_email(?)", strings.TrimSpace(email)).Scan(&id).Error
	})
	if err != nil {
		return uuid.Nil, fmt.Errorf("find user: %w", err)
	}
	if !id.Valid {
		return uuid.Nil, fault.New(fault.NotFound, "not_found", fault.Detail{Field: "email", Message: "no user has this address"})
	}
	return id.UUID, nil
}

// SetPassword changes a user's password.
func (s *Service) SetPassword(ctx context.Context, user uuid.UUID, password string) error {
	if password == "" {
		return fault.Field("password", "is empty")
	}
	hash, err := hashPassword(password)
	if err != nil {
		return err
	}
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		done := tx.Exec("UPDATE users SET password_hash = ?, updated_at = now() WHERE id = ?", hash, user)
		if done.Error == nil && done.RowsAffected == 0 {
			return fault.Missing()
		}
		return done.Error
	})
}

// hashPassword gives the argon2id hash, or nil for no password.
func hashPassword(password string) (*string, error) {
	if password == "" {
		return nil, nil //nolint:nilnil // no password is a value of its own: the user cannot log in
	}
	if n := utf8.RuneCountInString(password); n < minimumPassword || n > maximumPassword {
		return nil, fault.Field("password", fmt.Sprintf("must have %d to %d characters", minimumPassword, maximumPassword))
	}
	hash, err := argon2id.CreateHash(password, argon2id.DefaultParams)
	if err != nil {
		return nil, fmt.Errorf("hash password: %w", err)
	}
	return &hash, nil
}

// Address gives an email address as it is stored: one plain address without a display name, at most 254 characters.
func Address(email string) (string, error) {
	email = strings.TrimSpace(email)
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || len(email) > 254 {
		return "", fault.Field("email", "is no email address")
	}
	return email, nil
}

// required refuses an empty or overlong name.
func required(field, value string) (string, error) {
	value = strings.TrimSpace(value)
	if value == "" {
		return "", fault.Field(field, "is empty")
	}
	if utf8.RuneCountInString(value) > 255 {
		return "", fault.Field(field, "has more than 255 characters")
	}
	return value, nil
}
