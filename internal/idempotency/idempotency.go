// Package idempotency remembers the requests that a client sent with an Idempotency-Key, and their answers, so that a
// request that is sent again is not carried out twice. It does not depend on HTTP: a request is a fingerprint; an
// answer is a status, a media type and a body.
package idempotency

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/retention"
)

// defaultLease is how long a request keeps its key after the last time that its process prolonged the lease.
const defaultLease = 15 * time.Second

// States of a key. While the key is Running, its request is being carried out. When it is Committed, the request has
// been carried out, but the answer is not stored; once the lease of the key is over, it never will be. When it is
// Answered, the answer is stored.
const (
	Running   = "running"
	Committed = "committed"
	Answered  = "answered"
)

// Key is the stored state of one key of one user.
type Key struct {
	UserID      uuid.UUID
	Key         string
	Attempt     uuid.UUID
	State       string
	Fingerprint []byte          // nil until the request was read
	Reference   json.RawMessage // what Remember or the function of OnMade gave; null if neither was used
	Status      *int
	ContentType *string
	Body        []byte
	LeaseUntil  time.Time
	CreatedAt   time.Time
}

// TableName returns the name of the table, which gorm would not guess.
func (Key) TableName() string { return "idempotency_keys" }

// Answer is a response that was sent to a client.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
}

// Store keeps the keys. It is safe for concurrent use.
type Store struct {
	db    *postgres.DB
	lease time.Duration
}

// NewStore returns a store. lease is how long a key stays taken after the last time that its process prolonged it; 0
// means 15 seconds.
func NewStore(db *postgres.DB, lease time.Duration) *Store {
	return &Store{db: db, lease: cmp.Or(lease, defaultLease)}
}

// Begin takes a key for a request of this user. There are three results:
//
// If the returned Key is Answered, the attempt is nil and the Key has the answer. If it is Committed, the process of an
// earlier request was lost after it had committed: the caller must not carry the request out again, but build the
// answer from the Key's Reference. If it is Running, the caller must carry the request out. If the attempt is not nil,
// the caller must end it: see Attempt.
//
// The error is Conflict with the code "idempotency_key_in_use" if another request has the key and its lease has not
// ended. Begin does not compare fingerprints; the caller must.
func (s *Store) Begin(ctx context.Context, user uuid.UUID, key string) (*Attempt, Key, error) {
	ours := uuid.New()
	var found []Key
	err := s.db.As(ctx, user, func(tx *postgres.Tx) error {
		if err := s.take(tx, key, ours, &found); err != nil || len(found) > 0 {
			return err
		}
		return tx.Find(&found, "user_id = ? AND key = ?", user, key).Error
	})
	switch {
	case err != nil:
		return nil, Key{}, fmt.Errorf("take the idempotency key: %w", err)
	case len(found) > 0 && found[0].Attempt == ours:
		return s.begin(ctx, found[0]), found[0], nil
	case len(found) > 0 && found[0].State == Answered:
		return nil, found[0], nil
	}
	return nil, Key{}, inUse()
}

// take stores the key for this attempt, or takes it over from a process that was lost, and reads its row into found. It
// reads no row if another request has the key or the key is answered. It first deletes the key if it is older than
// retention.IdempotencyKeys and its lease has ended.
func (s *Store) take(tx *postgres.Tx, key string, ours uuid.UUID, found *[]Key) error {
	err := tx.Exec("DELETE FROM idempotency_keys WHERE user_id = ? AND key = ? AND created_at < now() - "+
		"make_interval(secs => ?) AND lease_until < now()",
		tx.UserID(), key, retention.IdempotencyKeys.Seconds()).Error
	if err != nil {
		return err
	}
	return tx.Raw(`INSERT INTO idempotency_keys AS k (user_id, key, attempt, lease_until) VALUES (?, ?, ?, now() +
		make_interval(secs => ?))
		ON CONFLICT (user_id, key) DO UPDATE SET attempt = EXCLUDED.attempt, lease_until = EXCLUDED.lease_until
		WHERE k.state <> 'answered' AND k.lease_until < now()
		RETURNING *`, tx.UserID(), key, ours, s.lease.Seconds()).Scan(found).Error
}

func inUse() error {
	return fault.New(fault.Conflict, "idempotency_key_in_use",
		fault.Detail{
			Field: "Idempotency-Key", Message: "the first request with this key still runs: send it again in a moment",
		})
}

// Forget deletes keys that are older than retention.IdempotencyKeys and whose lease has ended, and returns their
// number.
func (s *Store) Forget(ctx context.Context) (int64, error) {
	var gone int64
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_forget_idempotency_keys(make_interval(secs => ?))",
			retention.IdempotencyKeys.Seconds()).Scan(&gone).Error
	})
	if err != nil {
		return 0, fmt.Errorf("forget old idempotency keys: %w", err)
	}
	return gone, nil
}

// where restricts a statement to the key's row, and only while this attempt has the key.
func where(tx *postgres.Tx, k Key) *gorm.DB {
	return tx.Model(&Key{}).Where("user_id = ? AND key = ? AND attempt = ?", k.UserID, k.Key, k.Attempt)
}
