package limits

import (
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/ratelimit"
)

// The numbers of wrong guesses at a password that are allowed in a minute. GuessesPerMinute is for the operator's or a
// shared link's password from one address, and for a user's from one address or from one browser that they have used
// before. AttemptsPerMinute is for one user's or one link's password from all addresses, and for the passwords of all
// users or all links from one address, since a whole team may share it; also for registrations and for reset mails from
// one address.
const (
	GuessesPerMinute  = 10
	AttemptsPerMinute = 60
)

// Guesses refuses the requests of a subject, such as an address, after too many wrong guesses of a secret, until the
// window of the limiter that refused has ended. The limiters count the guesses of all processes; but a subject is
// locked out only in the process in which a limiter refused it. It is safe for concurrent use.
type Guesses struct {
	Now func() time.Time

	mu       sync.Mutex
	refusals map[string]ratelimit.Decision
}

// Allow returns RateLimited if one of the subjects is locked out, and nil otherwise. The subjects are the keys of
// limiters. Allow counts nothing.
func (g *Guesses) Allow(c *gin.Context, limiters map[string]*ratelimit.Limiter) error {
	for subject := range limiters {
		if refusal, locked := g.left(subject); locked {
			return TooMany(c, refusal)
		}
	}
	return nil
}

// Failed counts a wrong guess for each subject; the subjects are the keys of limiters. A subject whose limiter allows
// no more guesses is locked out until the window of that limiter ends, and Failed returns RateLimited. Otherwise it
// returns nil.
func (g *Guesses) Failed(c *gin.Context, limiters map[string]*ratelimit.Limiter) error {
	var refusal error
	for subject, limiter := range limiters {
		if guess := limiter.Allow(c.Request.Context(), subject); !guess.Allowed {
			g.lock(subject, guess)
			refusal = TooMany(c, guess)
		}
	}
	return refusal
}

// left reports whether a subject is locked out, and returns the decision that locked it out, with RetryAfter set to the
// time until it may try again.
func (g *Guesses) left(subject string) (ratelimit.Decision, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	refusal, found := g.refusals[subject]
	refusal.RetryAfter = refusal.Reset.Sub(g.Now())
	return refusal, found && refusal.RetryAfter > 0
}

// lock stores the refusal of a subject until its window ends.
func (g *Guesses) lock(subject string, refusal ratelimit.Decision) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refusals == nil {
		g.refusals = map[string]ratelimit.Decision{}
	}
	now := g.Now()
	for other, old := range g.refusals {
		if old.Reset.Before(now) {
			delete(g.refusals, other)
		}
	}
	g.refusals[subject] = refusal
}
