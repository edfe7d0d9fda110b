package httpapi

import (
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/ratelimit"
)

// source is what a client's requests are counted for where only its address is known.
func source(c *gin.Context) string { return ratelimit.Source(c.ClientIP()) }

// limit counts a request and tells in its headers what is left. A 429 describes the window that refused.
func (a *API) limit(c *gin.Context, subject string) error {
	decision := a.Limiter.Allow(c.Request.Context(), subject)
	if !decision.Allowed {
		return tooMany(c, decision)
	}
	describeWindow(c, decision)
	return nil
}

func describeWindow(c *gin.Context, decision ratelimit.Decision) {
	c.Header("X-RateLimit-Limit", strconv.Itoa(decision.Limit))
	c.Header("X-RateLimit-Remaining", strconv.Itoa(decision.Remaining))
	c.Header("X-RateLimit-Reset", strconv.FormatInt(decision.Reset.Unix(), 10))
}

func tooMany(c *gin.Context, decision ratelimit.Decision) error {
	describeWindow(c, decision)
	c.Header("Retry-After", strconv.Itoa(max(1, int(decision.RetryAfter.Round(time.Second).Seconds()))))
	return fault.New(fault.RateLimited, "rate_limited")
}

// lockout remembers from which addresses, or for which users, so many wrong passwords came that not even the right
// one is taken for a while. How many that are, the limiter of all processes counts.
type lockout struct {
	mu       sync.Mutex
	refusals map[string]ratelimit.Decision
}

// left returns the refusal of a subject that is still locked out.
func (l *lockout) left(subject string, now time.Time) (ratelimit.Decision, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	refusal, found := l.refusals[subject]
	refusal.RetryAfter = refusal.Reset.Sub(now)
	return refusal, found && refusal.RetryAfter > 0
}

// lock keeps a refusal until its window ends.
func (l *lockout) lock(subject string, refusal ratelimit.Decision, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refusals == nil {
		l.refusals = map[string]ratelimit.Decision{}
	}
	for other, old := range l.refusals {
		if old.Reset.Before(now) {
			delete(l.refusals, other)
		}
	}
	l.refusals[subject] = refusal
}
