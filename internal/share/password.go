package share

import (
	"context"
	"fmt"
	"time"

	"github.com/alexedwards/argon2id"

	"dealflow/internal/fault"
)

// What hashing costs. A hash takes 64 MB while it is made, so a flood of guesses may only make so many at once.
const (
	hashMemory     = 64 << 10 // KB
	hashIterations = 1
	hashThreads    = 2
	hashSalt       = 16 // bytes
	hashLength     = 32 // bytes
	hashesAtOnce   = 2
	hashWait       = 10 * time.Second // for a turn
)

// passwords makes and compares argon2id hashes, a few at a time.
type passwords struct {
	params *argon2id.Params
	turns  chan struct{}
}

func newPasswords() passwords {
	return passwords{
		params: &argon2id.Params{Memory: hashMemory, Iterations: hashIterations, Parallelism: hashThreads, SaltLength: hashSalt, KeyLength: hashLength},
		turns:  make(chan struct{}, hashesAtOnce),
	}
}

// take waits for a turn to hash; done gives it back. Unavailable where too many others wait.
func (p *passwords) take(ctx context.Context) (done func(), err error) {
	wait := time.NewTimer(hashWait)
	defer wait.Stop()
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-wait.C:
		return nil, fault.New(fault.Unavailable, "too_many_passwords")
	}
}

// hash gives the argon2id hash; nil for no password.
func (p *passwords) hash(ctx context.Context, password *string) (*string, error) {
	if password == nil {
		return nil, nil //nolint:nilnil // no password is a value of its own: the link is open
	}
	done, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	hash, err := argon2id.CreateHash(*password, p.params)
	if err != nil {
		return nil, fmt.Errorf("hash the link's password: %w", err)
	}
	return &hash, nil
}
