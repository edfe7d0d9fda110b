// Package password makes and compares argon2id hashes, a few at a time.
package password

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/alexedwards/argon2id"

	"dealflow/internal/fault"
)

// What hashing costs. A hash takes 64 MB while it is made, so a flood of logins may only make so many at once.
const (
	hashMemory     = 64 << 10 // KB
	hashIterations = 1
	hashThreads    = 2
	hashSalt       = 16 // bytes
	hashLength     = 32 // bytes
	hashesAtOnce   = 2
	hashWait       = 10 * time.Second // for a turn
)

// Hasher makes and compares hashes. Those who share one wait for each other's turns.
type Hasher struct {
	params *argon2id.Params
	decoy  string // compared where there is no hash, so that it takes as long
	turns  chan struct{}
	wait   time.Duration
}

// New makes a hasher. Who waits longer than that for his turn is refused; 0: 10 seconds.
func New(wait time.Duration) *Hasher {
	if wait == 0 {
		wait = hashWait
	}
	params := &argon2id.Params{Memory: hashMemory, Iterations: hashIterations, Parallelism: hashThreads, SaltLength: hashSalt, KeyLength: hashLength}
	zeros := func(n int) string { return base64.RawStdEncoding.EncodeToString(make([]byte, n)) }
	decoy := fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", hashMemory, hashIterations, hashThreads, zeros(hashSalt), zeros(hashLength))
	return &Hasher{params: params, decoy: decoy, turns: make(chan struct{}, hashesAtOnce), wait: wait}
}

// Take waits for a turn to hash; done, which must be called once, gives it back. Unavailable with the code too_many_passwords where too many others
// wait; the context's error where that ends before.
func (h *Hasher) Take(ctx context.Context) (done func(), err error) {
	wait := time.NewTimer(h.wait)
	defer wait.Stop()
	select {
	case h.turns <- struct{}{}:
		return func() { <-h.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-wait.C:
		return nil, fault.New(fault.Unavailable, "too_many_passwords")
	}
}

// Hash takes a turn and gives the argon2id hash of a password, with all that is needed to compare one with it. The errors are those of Take, and
// that of a machine without randomness.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	done, err := h.Take(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	hash, err := argon2id.CreateHash(password, h.params)
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}

// Match tells whether the password is the hashed one; never where there is no hash, which takes as long to find out. The turn must have been
// taken. It fails where the hash is none.
func (h *Hasher) Match(password string, hash *string) (bool, error) {
	against := h.decoy
	if hash != nil {
		against = *hash
	}
	same, err := argon2id.ComparePasswordAndHash(password, against)
	if err != nil {
		return false, fmt.Errorf("compare password: %w", err)
	}
	return same && hash != nil, nil
}
