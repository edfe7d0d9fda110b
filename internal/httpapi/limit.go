package httpapi

import (
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
)

// limit counts a request and tells in its headers what is left. A 429 describes the window that refused.
func (a *API) limit(c *gin.Context, subject string) error {
	decision := a.Limiter.Allow(c.Request.Context(), subject)
	c.Header("X-RateLimit-Limit", strconv.Itoa(decision.Limit))
	c.Header("X-RateLimit-Remaining", strconv.Itoa(decision.Remaining))
	c.Header("X-RateLimit-Reset", strconv.FormatInt(decision.Reset.Unix(), 10))
	if decision.Allowed {
		return nil
	}
	return tooMany(c, decision.RetryAfter)
}

func tooMany(c *gin.Context, wait time.Duration) error {
	c.Header("Retry-After", strconv.Itoa(max(1, int(wait.Round(time.Second).Seconds()))))
	return fault.New(fault.RateLimited, "rate_limited")
}

// lockout remembers from which addresses so many wrong passwords came that not even the right one is taken for a while. How many
// that are, the limiter of all processes counts.
type lockout struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// left says how long an address is still locked out; 0 where it is not.
func (l *lockout) left(address string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, l.until[address].Sub(now))
}

func (l *lockout) lock(address string, until, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.until == nil {
		l.until = map[string]time.Time{}
	}
	for other, end := range l.until {
		if end.Before(now) {
			delete(l.until, other)
		}
	}
	l.until[address] = until
}
