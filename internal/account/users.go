package account

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
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
	hash, err := s.hash(ctx, password)
	if err != nil {
		return User{}, err
	}
	var made User
	id := uuid.New()
	err = s.db.As(ctx, id, func(tx *postgres.Tx) error {
		if err := insertUser(tx, id, email, name, hash); err != nil {
			return err
		}
		return tx.First(&made, "id = ?", id).Error
	})
	return made, err
}

// insertUser makes the transaction's own user; Conflict where the address is taken.
func insertUser(tx *postgres.Tx, id uuid.UUID, email, name string, hash *string) error {
	err := tx.Exec("SELECT app_create_user(?, ?, ?, ?)", id, email, name, hash).Error
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return fault.New(fault.Conflict, "email_taken", fault.Detail{Field: "email", Message: "a user with this address exists"}).Because(err)
	}
	if err != nil {
		return fmt.Errorf("create user: %w", err)
	}
	return nil
}

// UserByID gives the user himself, or one who shares an account with him; NotFound where there is none such.
func (s *Service) UserByID(ctx context.Context, caller, id uuid.UUID) (User, error) {
	var found User
	err := s.db.As(ctx, caller, func(tx *postgres.Tx) error { return tx.First(&found, "id = ?", id).Error })
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return User{}, fault.Missing()
	}
	return found, err
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

// SetPassword changes a user's password and ends all of his sessions. NotFound where there is no such user.
func (s *Service) SetPassword(ctx context.Context, user uuid.UUID, password string) error {
	if password == "" {
		return fault.Field("password", "is empty")
	}
	hash, err := s.hash(ctx, password)
	if err != nil {
		return err
	}
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		done := tx.Exec("UPDATE users SET password_hash = ?, updated_at = now() WHERE id = ?", hash, user)
		if done.Error == nil && done.RowsAffected == 0 {
			return fault.Missing()
		}
		if done.Error != nil {
			return fmt.Errorf("set the password: %w", done.Error)
		}
		return tx.Exec("DELETE FROM sessions WHERE user_id = ?", user).Error
	})
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
