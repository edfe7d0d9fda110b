// Package ratelimit limits how many requests a client may send in each second and each minute of the clock. It counts
// in Redis, exactly over all processes that share it, in one round trip. While Redis does not answer, each process
// counts alone.
package ratelimit

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed allow.lua
var allowScript string

// askTimeout is how long a request waits for Redis before it is counted in its process alone.
const askTimeout = 500 * time.Millisecond

// Options has the limits of a Limiter, and what it needs. Prefix and Logger are required.
type Options struct {
	PerSecond int              // requests in a second of the clock; 0 is no limit
	PerMinute int              // requests in a minute of the clock; 0 is no limit
	Prefix    string           // the beginning of the limiter's keys in Redis, such as "ratelimit:"
	Logger    *slog.Logger     // gets one line for each outage of Redis
	Clock     func() time.Time // of this process, for counting without Redis; time.Now when nil
}

// Limiter allows or refuses requests. It is safe for concurrent use.
type Limiter struct {
	client  redis.Scripter
	script  *redis.Script
	limits  limits
	prefix  string
	clock   func() time.Time
	breaker breaker
	local   local
}

// Decision says whether a request is allowed. If it is not, Limit, Remaining and Reset describe the window that was
// full; else they describe the window of the minute, or that of the second if the minute has no limit. If there is no
// limit at all, Limit and Remaining are 0 and Reset is the Unix time 0.
type Decision struct {
	Allowed    bool
	Limit      int
	Remaining  int
	Reset      time.Time     // the end of the window, in whole seconds
	RetryAfter time.Duration // of a refusal: whole seconds, at least one, after which the window has ended
}

// New returns a Limiter that counts in the Redis of client, which the caller must close. The client must end its
// commands with their context (ContextTimeoutEnabled).
func New(client redis.Scripter, options Options) *Limiter {
	clock := options.Clock
	if clock == nil {
		clock = time.Now
	}
	return &Limiter{
		client:  client,
		script:  redis.NewScript(allowScript),
		limits:  limits{perSecond: options.PerSecond, perMinute: options.PerMinute},
		prefix:  options.Prefix,
		clock:   clock,
		breaker: breaker{logger: options.Logger},
		local:   local{windows: map[string]window{}},
	}
}

// Allow counts one request of subject, such as the id of an API key or the address of a client, and returns whether it
// is allowed. A request that is not allowed does not count. Without limits nothing is counted.
//
// If Redis returns an error, or no answer within askTimeout, this process alone counts the request and those of the
// next second, for which it does not call Redis. The end of ctx does not end the call: a client that hangs up early is
// counted like any other.
func (l *Limiter) Allow(ctx context.Context, subject string) Decision {
	if l.limits.none() {
		return Decision{Allowed: true, Reset: time.Unix(0, 0).UTC()}
	}
	ask, probe := l.breaker.ask(l.clock())
	if !ask {
		return l.limits.decide(l.local.count(subject, l.clock(), l.limits))
	}
	counted, err := l.count(context.WithoutCancel(ctx), subject)
	if err != nil {
		l.breaker.failed(ctx, l.clock(), err)
		return l.limits.decide(l.local.count(subject, l.clock(), l.limits))
	}
	l.breaker.succeeded(ctx, probe)
	return l.limits.decide(counted)
}

func (l *Limiter) count(ctx context.Context, subject string) (verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	key := l.prefix + subject
	answer, err := l.script.Run(ctx, l.client, []string{key}, l.limits.perSecond, l.limits.perMinute).Int64Slice()
	if err != nil {
		return verdict{}, err
	}
	if len(answer) != 4 {
		return verdict{}, fmt.Errorf("the rate limit script answered %v", answer)
	}
	return verdict{
		refused: refusal(answer[0]), now: answer[1], inSecond: int(answer[2]), inMinute: int(answer[3]),
	}, nil
}
