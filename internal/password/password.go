// Package password decides which passwords users may choose, and computes and compares argon2id hashes, a few at a
// time.
package password

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/crypto/argon2"

	"dealflow/internal/fault"
)

// Lengths of a user's password, in characters. openapi.yaml and docs/security.md name them too.
const (
	Shortest = 10
	Longest  = 200
)

// Check returns an InvalidBody error for the member named field if the password is shorter than Shortest or longer than
// Longest. It checks nothing else.
func Check(field, password string) error {
	if n := utf8.RuneCountInString(password); n < Shortest || n > Longest {
		return fault.Field(field, fmt.Sprintf("must have %d to %d characters", Shortest, Longest))
	}
	return nil
}

// The cost of hashing. A hash takes 64 MB while it is computed, so only hashesAtOnce are computed at a time, however
// many users log in.
const (
	hashMemory     = 64 << 10 // KB
	hashIterations = 1
	hashThreads    = 2
	hashSalt       = 16 // bytes
	hashLength     = 32 // bytes
	hashesAtOnce   = 2
	hashWait       = 10 * time.Second // for a turn
)

// Hasher computes and compares hashes, at most two at a time for all callers that share it. It is safe for concurrent
// use. The caller must call Take before Match, MatchAny and Variants.
type Hasher struct {
	params *argon2id.Params
	turns  chan struct{}
	wait   time.Duration
	made   atomic.Int64
}

// Made returns how many hashes were computed so far, to store or to compare them. They take nearly all of the time of a
// login.
func (h *Hasher) Made() int64 { return h.made.Load() }

// New returns a Hasher. Take returns an error to a caller that waits longer than wait; 0 means 10 seconds.
func New(wait time.Duration) *Hasher { return NewWithMemory(wait, hashMemory) }

// NewWithMemory is New for hashes that take this many KB each. Fewer than the 65536 of New are only for passwords that
// protect nothing, such as those of tests.
func NewWithMemory(wait time.Duration, kilobytes uint32) *Hasher {
	if wait == 0 {
		wait = hashWait
	}
	params := &argon2id.Params{
		Memory: kilobytes, Iterations: hashIterations, Parallelism: hashThreads, SaltLength: hashSalt, KeyLength: hashLength,
	}
	return &Hasher{params: params, turns: make(chan struct{}, hashesAtOnce), wait: wait}
}

// Take waits for a turn to hash; done, which must be called once, ends the turn. If no turn comes in time, the error is
// Unavailable with the code overloaded; if ctx ends before, it is ctx.Err.
func (h *Hasher) Take(ctx context.Context) (done func(), err error) {
	wait := time.NewTimer(h.wait)
	defer wait.Stop()
	select {
	case h.turns <- struct{}{}:
		return func() { <-h.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-wait.C:
		return nil, fault.New(fault.Unavailable, "overloaded")
	}
}

// Hash takes a turn and returns the argon2id hash of a password, with all that is needed to compare a password with it.
// It fails as Take does, or if the machine has no source of randomness.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	done, err := h.Take(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	h.made.Add(1)
	hash, err := argon2id.CreateHash(password, h.params)
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}

// HashLike is Hash with the salt of the first hash in others that has the Hasher's parameters, so that MatchAny can
// compare a password with all of them at the cost of one. It skips hashes that are nil or cannot be parsed. If none is
// left, it takes a new salt.
func (h *Hasher) HashLike(ctx context.Context, password string, others []*string) (string, error) {
	for _, other := range others {
		if other == nil {
			continue
		}
		params, salt, _, err := argon2id.DecodeHash(*other)
		if err != nil || *params != *h.params {
			continue
		}
		done, err := h.Take(ctx)
		if err != nil {
			return "", err
		}
		defer done()
		return format(salt, h.derive(password, salt, params), params), nil
	}
	return h.Hash(ctx, password)
}

func (h *Hasher) derive(password string, salt []byte, p *argon2id.Params) []byte {
	h.made.Add(1)
	return argon2.IDKey([]byte(password), salt, p.Iterations, p.Memory, p.Parallelism, p.KeyLength)
}

func format(salt, key []byte, p *argon2id.Params) string {
	text := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.Memory, p.Iterations, p.Parallelism,
		text(salt), text(key))
}

// group returns the same text for hashes with the same salt and parameters.
func group(salt []byte, p *argon2id.Params) string { return fmt.Sprintf("%v %x", *p, salt) }

// Match reports whether this is a hash of the password, as MatchAny does for several hashes; it returns false for nil.
// The caller must have called Take.
func (h *Hasher) Match(password string, hash *string) (bool, error) {
	match, err := h.MatchAny(password, []*string{hash})
	return match == 0, err
}

// maxSalts is how many different salts MatchAny tries. The hashes of one email address share a salt, unless they were
// created at the same moment.
const maxSalts = 3

// Variants returns the hashes that a password has with the salts and parameters of other hashes. It uses the first
// maxSalts different ones, as MatchAny does, and skips nil hashes. The caller must have called Take. The error says
// that one of the hashes cannot be parsed.
func (h *Hasher) Variants(password string, others []*string) ([]string, error) {
	var variants []string
	known := map[string]bool{}
	for _, other := range others {
		if other == nil || len(known) >= maxSalts {
			continue
		}
		params, salt, _, err := argon2id.DecodeHash(*other)
		if err != nil {
			return nil, fmt.Errorf("read a password's hash: %w", err)
		}
		if kind := group(salt, params); !known[kind] {
			known[kind] = true
			variants = append(variants, format(salt, h.derive(password, salt, params), params))
		}
	}
	return variants, nil
}

// MatchAny returns the index of the first hash that matches the password, or -1 if none does. It ignores nil hashes,
// and hashes whose salt is not among the first maxSalts different ones. MatchAny takes the same time for no hash, for
// one, and for many that share a salt. The caller must have called Take. The error says that one of the hashes cannot
// be parsed.
func (h *Hasher) MatchAny(password string, hashes []*string) (int, error) {
	keys := map[string][]byte{}
	match := -1
	for i, hash := range hashes {
		if hash == nil {
			continue
		}
		params, salt, want, err := argon2id.DecodeHash(*hash)
		if err != nil {
			return -1, fmt.Errorf("read a password's hash: %w", err)
		}
		kind := group(salt, params)
		key, made := keys[kind]
		if !made && len(keys) >= maxSalts {
			continue
		}
		if !made {
			key = h.derive(password, salt, params)
			keys[kind] = key
		}
		if subtle.ConstantTimeCompare(key, want) == 1 && match < 0 {
			match = i
		}
	}
	if len(keys) == 0 {
		h.derive(password, make([]byte, hashSalt), h.params)
	}
	return match, nil
}
