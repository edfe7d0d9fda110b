package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// KeyPrefix is how every API key begins.
const KeyPrefix = "mk_"

// hintLength is how much of a key is kept in clear, so that a person can tell their keys apart.
const hintLength = len(KeyPrefix) + 4

// APIKey is what is known of a key: never the key itself.
type APIKey struct {
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

// Caller is who sent a request.
type Caller struct {
	UserID    uuid.UUID
	KeyID     uuid.UUID // uuid.Nil for a session
	SessionID uuid.UUID // uuid.Nil for a key
	Scopes    []string  // of the key
}

// NewKey is what makes a key.
type NewKey struct {
	Name      string
	Scopes    []string   // nil: all
	ExpiresAt *time.Time // nil: never
}

// CreateKey makes a key that may do everything and never expires, for the operator; see IssueKey.
func (s *Service) CreateKey(ctx context.Context, user uuid.UUID, name string) (APIKey, string, error) {
	return s.IssueKey(ctx, Caller{UserID: user}, NewKey{Name: name})
}

// IssueKey makes a key for the caller and returns its full value, which nobody can ask for again. Forbidden with the
// code missing_scope where the caller's own key lacks one of the scopes.
func (s *Service) IssueKey(ctx context.Context, caller Caller, in NewKey) (APIKey, string, error) {
	name, scopes, err := in.read()
	if err != nil {
		return APIKey{}, "", err
	}
	for _, scope := range scopes {
		if err := caller.RequireScope(scope); err != nil {
			return APIKey{}, "", err
		}
	}
	user, full := caller.UserID, KeyPrefix+newSecret()
	hash := sha256.Sum256([]byte(full))
	key := APIKey{
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
		return APIKey{}, "", fmt.Errorf("create API key: %w", err)
	}
	return key, full, nil
}

// Check refuses every field that is wrong by itself.
func (in NewKey) Check() error {
	_, _, err := in.read()
	return err
}

func (in NewKey) read() (name string, scopes []string, err error) {
	name, errName := required("name", in.Name)
	scopes, errScopes := readScopes(in.Scopes)
	return name, scopes, allWrong(errName, errScopes, checkExpiry(in.ExpiresAt))
}

func checkExpiry(at *time.Time) error {
	if at != nil && !at.After(time.Now()) {
		return fault.Field("expires_at", "must be in the future")
	}
	return nil
}

// Keys returns a page of the caller's keys, oldest first, and where the next begins; nil at the end.
func (s *Service) Keys(
	ctx context.Context, who *postgres.Identity, page postgres.Page,
) ([]APIKey, *postgres.Place, error) {
	var keys []APIKey
	err := s.db.Read(ctx, who, postgres.Found(s.db, &keys, func(tx *gorm.DB) *gorm.DB {
		return page.Of(postgres.Oldest())(tx.Where("user_id = app_user_id()")).Find(&[]APIKey{})
	}))
	if err != nil {
		return nil, nil, fmt.Errorf("list API keys: %w", err)
	}
	keys, next := postgres.Cut(page, keys, func(k *APIKey) postgres.Place { return postgres.At(k.CreatedAt, k.ID) })
	return keys, next, nil
}

// DeleteKey deletes a key of the user, which stops working at once everywhere: keys are looked up at each request.
// NotFound where the user has no such key.
func (s *Service) DeleteKey(ctx context.Context, user, key uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		done := tx.Where("user_id = ? AND id = ?", user, key).Delete(&APIKey{})
		if done.Error == nil && done.RowsAffected == 0 {
			return fault.NewNotFound()
		}
		return done.Error
	})
}

// RevokeKey is DeleteKey for the operator, who does not know whose key it is.
func (s *Service) RevokeKey(ctx context.Context, key uuid.UUID) error {
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
	return s.DeleteKey(ctx, user.UUID, key)
}

// ByKey returns the identity of whoever has an API key; Unauthenticated for what cannot be one.
func ByKey(full string) (*postgres.Identity, error) {
	if !strings.HasPrefix(full, KeyPrefix) {
		return nil, fault.New(fault.Unauthenticated, "invalid_api_key")
	}
	hash := sha256.Sum256([]byte(full))
	return postgres.ByKey(hash[:]), nil
}

// BySession returns the identity of whoever has the session with this token.
func BySession(token string) *postgres.Identity {
	hash := sha256.Sum256([]byte(token))
	return postgres.BySession(hash[:])
}

// CallerOf returns who an identity turned out to be.
func CallerOf(who *postgres.Identity) Caller {
	if who.IsSession() {
		return Caller{UserID: who.User, SessionID: who.Proof}
	}
	return Caller{UserID: who.User, KeyID: who.Proof, Scopes: who.Scopes}
}

// Prove finds out whom a secret proves; Unauthenticated where it is nobody. What reads as the identity need not be
// preceded by it.
func (s *Service) Prove(ctx context.Context, who *postgres.Identity) error {
	if who.Proven() {
		return nil
	}
	if err := s.db.Read(ctx, who); err != nil {
		return fmt.Errorf("look up the key or session: %w", err)
	}
	return nil
}

// Authenticate returns the caller behind a full API key; Unauthenticated where there is no such key, or it has expired.
func (s *Service) Authenticate(ctx context.Context, full string) (Caller, error) {
	who, err := ByKey(full)
	if err != nil {
		return Caller{}, err
	}
	err = s.Prove(ctx, who)
	return CallerOf(who), err
}

// newSecret gives 260 random bits as 52 characters: rand.Text has 26 of base32.
func newSecret() string { return strings.ToLower(rand.Text() + rand.Text()) }

// hexHash is what is kept of a secret. It is random enough that a slow hash would add nothing.
func hexHash(secret string) string {
	hash := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(hash[:])
}
