package account

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"dealflow/internal/fault"
)

// Lengths of a password, in characters.
const (
	minimumPassword = 10
	maximumPassword = 200
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

// passwords makes and compares argon2id hashes, a few at a time.
type passwords struct {
	params *argon2id.Params
	decoy  string // compared where there is no hash, so that it takes as long
	turns  chan struct{}
}

func newPasswords() passwords {
	params := &argon2id.Params{Memory: hashMemory, Iterations: hashIterations, Parallelism: hashThreads, SaltLength: hashSalt, KeyLength: hashLength}
	zeros := func(n int) string { return base64.RawStdEncoding.EncodeToString(make([]byte, n)) }
	decoy := fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", hashMemory, hashIterations, hashThreads, zeros(hashSalt), zeros(hashLength))
	return passwords{params: params, decoy: decoy, turns: make(chan struct{}, hashesAtOnce)}
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
		return nil, fault.New(fault.Unavailable, "too_many_logins")
	}
}

// hash gives the argon2id hash, or nil for no password.
func (p *passwords) hash(ctx context.Context, password string) (*string, error) {
	if password == "" {
		return nil, nil //nolint:nilnil // no password is a value of its own: the user cannot log in
	}
	if err := checkPassword(password); err != nil {
		return nil, err
	}
	done, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	hash, err := argon2id.CreateHash(password, p.params)
	if err != nil {
		return nil, fmt.Errorf("hash password: %w", err)
	}
	return &hash, nil
}

func checkPassword(password string) error {
	if n := utf8.RuneCountInString(password); n < minimumPassword || n > maximumPassword {
		return fault.Field("password", fmt.Sprintf("must have %d to %d characters", minimumPassword, maximumPassword))
	}
	return nil
}

// match tells whether the password is the hashed one; never where there is no hash, which takes as long to find out. The turn to
// hash must have been taken.
func (p *passwords) match(password string, hash *string) (bool, error) {
	against := p.decoy
	if hash != nil {
		against = *hash
	}
	same, err := argon2id.ComparePasswordAndHash(password, against)
	if err != nil {
		return false, fmt.Errorf("compare password: %w", err)
	}
	return same && hash != nil, nil
}
