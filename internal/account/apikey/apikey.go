// Package apikey issues, lists and deletes API keys, and finds out whose they are.
package apikey

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/secret"
)

// prefix is the beginning of every API key.
const prefix = "mk_"

// hintLength is how many characters of a key are stored in clear, so that a person can distinguish their keys.
const hintLength = len(prefix) + 4

// Key is an API key as it is stored: without its value.
type Key struct {
	ID         uuid.UUID
	UserID     uuid.UUID
	Name       string
	Hash       []byte // SHA-256
	Hint       string
	Scopes     postgres.Strings // what it may do
	ExpiresAt  *time.Time       // nil: never
	LastUsedAt *time.Time       // to within a minute
	CreatedAt  time.Time
}

// TableName returns the name of the table, which gorm would not guess.
func (Key) TableName() string { return "api_keys" }

// Draft is what a client sends to create a key.
type Draft struct {
	Name      string
	Scopes    []string   // nil: all
	ExpiresAt *time.Time // nil: never
}

// Service keeps API keys. It is safe for concurrent use.
type Service struct{ db *postgres.DB }

// New returns the service.
func New(db *postgres.DB) *Service { return &Service{db: db} }

// Identity returns the identity of the user who has this full API key. It does not look the key up; the error is
// Unauthenticated for a text that cannot be a key.
func Identity(full string) (*postgres.Identity, error) {
	if !strings.HasPrefix(full, prefix) {
		return nil, fault.New(fault.Unauthenticated, "invalid_api_key")
	}
	hash := sha256.Sum256([]byte(full))
	return postgres.ByKey(hash[:]), nil
}

// Authenticate returns the caller who has this full API key; the error is Unauthenticated if there is no such key, or
// it has expired.
func (s *Service) Authenticate(ctx context.Context, full string) (account.Caller, error) {
	who, err := Identity(full)
	if err != nil {
		return account.Caller{}, err
	}
	err = account.New(s.db).Prove(ctx, who)
	return account.CallerOf(who), err
}

// Create creates a key with all scopes that never expires, for any user; it is for the operator. It returns the key and
// its full value, as Issue does. The error is InvalidBody for an invalid name.
func (s *Service) Create(ctx context.Context, user uuid.UUID, name string) (Key, string, error) {
	return s.Issue(ctx, account.Caller{UserID: user}, Draft{Name: name})
}

// Issue creates a key of the caller and returns it with its full value, which cannot be read again later. The error is
// InvalidBody if a member of the draft is invalid, and Forbidden with the code missing_scope if the caller's own key
// lacks a scope of the new key.
func (s *Service) Issue(ctx context.Context, caller account.Caller, in Draft) (Key, string, error) {
	name, scopes, err := in.read()
	if err != nil {
		return Key{}, "", err
	}
	for _, scope := range scopes {
		if err := caller.RequireScope(scope); err != nil {
			return Key{}, "", err
		}
	}
	user, full := caller.UserID, prefix+secret.New()
	hash := sha256.Sum256([]byte(full))
	key := Key{
		ID: uuid.New(), UserID: user, Name: name, Hash: hash[:], Hint: full[:hintLength], Scopes: scopes,
		ExpiresAt: in.ExpiresAt,
	}
	err = s.db.Write(ctx, user, func(tx *postgres.Tx) error {
		if err := tx.Omit("CreatedAt").Create(&key).Error; err != nil {
			return err
		}
		err := tx.First(&key, "id = ?", key.ID).Error
		tx.Made(key)
		return err
	})
	if err != nil {
		return Key{}, "", fmt.Errorf("create API key: %w", err)
	}
	return key, full, nil
}

// Check returns InvalidBody, which names every invalid member, or nil. It does not check whether the caller may issue a
// key with these scopes.
func (in Draft) Check() error {
	_, _, err := in.read()
	return err
}

func (in Draft) read() (name string, scopes []string, err error) {
	name, errName := account.CheckName("name", in.Name)
	scopes, errScopes := readScopes(in.Scopes)
	return name, scopes, fault.All(errName, errScopes, checkExpiry(in.ExpiresAt))
}

func checkExpiry(at *time.Time) error {
	if at != nil && !at.After(time.Now()) {
		return fault.Field("expires_at", "must be in the future")
	}
	return nil
}

// List returns a page of the caller's keys, oldest first, and the position where the next page begins, which is nil at
// the end.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, page paging.Page,
) ([]Key, *paging.Position, error) {
	var keys []Key
	err := s.db.Read(ctx, who, postgres.Found(s.db, &keys, func(tx *gorm.DB) *gorm.DB {
		return page.Of(paging.Oldest())(tx.Where("user_id = app_user_id()")).Find(&[]Key{})
	}))
	if err != nil {
		return nil, nil, fmt.Errorf("list API keys: %w", err)
	}
	keys, next := paging.Cut(page, keys, func(k *Key) paging.Position { return paging.At(k.CreatedAt, k.ID) })
	return keys, next, nil
}

// Delete deletes a key of the user. Since every request looks its key up, requests that begin later are refused. The
// error is NotFound if the user has no such key.
func (s *Service) Delete(ctx context.Context, user, key uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		done := tx.Where("user_id = ? AND id = ?", user, key).Delete(&Key{})
		if done.Error == nil && done.RowsAffected == 0 {
			return fault.NewNotFound()
		}
		return done.Error
	})
}

// Revoke deletes a key of any user, for the operator. The error is NotFound if there is no such key.
func (s *Service) Revoke(ctx context.Context, key uuid.UUID) error {
	var user uuid.NullUUID
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_key_user(?)", key).Scan(&user).Error
	})
	if err != nil {
		return fmt.Errorf("find API key: %w", err)
	}
	if !user.Valid {
		return fault.NewNotFound()
	}
	return s.Delete(ctx, user.UUID, key)
}

// readScopes returns the given scopes in the order of account.Scopes, without repetitions. For nil it returns all
// scopes. The error is InvalidBody for an unknown scope and for an empty list that is not nil.
func readScopes(given []string) (postgres.Strings, error) {
	if given == nil {
		return account.Scopes(), nil
	}
	for _, scope := range given {
		if !slices.Contains(account.Scopes(), scope) {
			return nil, fault.Field("scopes", "must be some of "+strings.Join(account.Scopes(), ", "))
		}
	}
	if len(given) == 0 {
		return nil, fault.Field("scopes", "must name at least one scope")
	}
	var scopes postgres.Strings
	for _, scope := range account.Scopes() {
		if slices.Contains(given, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes, nil
}
