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

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// KeyPrefix is how every API key begins.
const KeyPrefix = "mk_"

// hintLength is how much of a key is kept in clear, so that a person can tell his keys apart.
const hintLength = len(KeyPrefix) + 4

// APIKey is what is known of a key: never the key itself.
type APIKey struct {
	ID        uuid.UUID
	UserID    uuid.UUID
	Name      string
	Hash      []byte // SHA-256
	Hint      string
	CreatedAt time.Time
}

// Caller is who sent a request.
type Caller struct {
	UserID    uuid.UUID
	KeyID     uuid.UUID // uuid.Nil for a session
	SessionID uuid.UUID // uuid.Nil for a key
}

// CreateKey makes a key for the user and gives its full value, which nobody can ask for again.
func (s *Service) CreateKey(ctx context.Context, user uuid.UUID, name string) (APIKey, string, error) {
	name, err := required("name", name)
	if err != nil {
		return APIKey{}, "", err
	}
	full := KeyPrefix + newSecret()
	hash := sha256.Sum256([]byte(full))
	key := APIKey{ID: uuid.New(), UserID: user, Name: name, Hash: hash[:], Hint: full[:hintLength]}
	err = s.db.As(ctx, user, func(tx *postgres.Tx) error {
		return tx.Omit("CreatedAt").Create(&key).Error
	})
	if err != nil {
		return APIKey{}, "", fmt.Errorf("create API key: %w", err)
	}
	err = s.db.As(ctx, user, func(tx *postgres.Tx) error { return tx.First(&key, "id = ?", key.ID).Error })
	return key, full, err
}

// Keys lists the user's keys, oldest first.
func (s *Service) Keys(ctx context.Context, user uuid.UUID) ([]APIKey, error) {
	keys := []APIKey{}
	err := s.db.As(ctx, user, func(tx *postgres.Tx) error {
		return tx.Where("user_id = ?", user).Order("created_at, id").Find(&keys).Error
	})
	return keys, err
}

// DeleteKey deletes a key of the user, which stops working at once everywhere: keys are looked up at each request. NotFound
// where the user has no such key.
func (s *Service) DeleteKey(ctx context.Context, user, key uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		done := tx.Where("user_id = ? AND id = ?", user, key).Delete(&APIKey{})
		if done.Error == nil && done.RowsAffected == 0 {
			return fault.Missing()
		}
		return done.Error
	})
}

// RevokeKey is DeleteKey for the operator, who does not know whose key it is.
func (s *Service) RevokeKey(ctx context.Context, key uuid.UUID) error {
	var user uuid.NullUUID
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error { return tx.Raw("SELECT app_key_user(?)", key).Scan(&user).Error })
	if err != nil {
		return fmt.Errorf("find API key: %w", err)
	}
	if !user.Valid {
		return fault.Missing()
	}
	return s.DeleteKey(ctx, user.UUID, key)
}

// Authenticate gives the caller behind a full API key; Unauthenticated where there is no such key.
func (s *Service) Authenticate(ctx context.Context, full string) (Caller, error) {
	if !strings.HasPrefix(full, KeyPrefix) {
		return Caller{}, fault.New(fault.Unauthenticated, "invalid_api_key")
	}
	var found struct{ KeyID, UserID uuid.NullUUID }
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT key_id, user_id FROM app_key_by_hash(decode(?, 'hex'))", hexHash(full)).Scan(&found).Error
	})
	if err != nil {
		return Caller{}, fmt.Errorf("look up API key: %w", err)
	}
	if !found.KeyID.Valid {
		return Caller{}, fault.New(fault.Unauthenticated, "invalid_api_key")
	}
	return Caller{UserID: found.UserID.UUID, KeyID: found.KeyID.UUID}, nil
}

// newSecret gives 260 random bits as 52 characters: rand.Text has 26 of base32.
func newSecret() string { return strings.ToLower(rand.Text() + rand.Text()) }

// hexHash is what is kept of a secret. It is random enough that a slow hash would add nothing.
func hexHash(secret string) string {
	hash := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(hash[:])
}
