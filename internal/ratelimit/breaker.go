package ratelimit

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// pause is how long requests do not call Redis after it did not answer, so that not every request waits for it.
const pause = time.Second

// breaker decides whether a request calls Redis, and logs the beginning and the end of an outage. It is safe for
// concurrent use. open is true during an outage: from a call that Redis did not answer until it answers a probe.
type breaker struct {
	logger *slog.Logger
	mu     sync.Mutex
	open   bool
	next   time.Time // when one request may try again
}

// ask reports whether this request must call Redis, and whether it is the one that probes Redis during an outage: one
// request in each pause. If ask is true, the caller must then call succeeded if Redis answered, else failed.
func (b *breaker) ask(now time.Time) (ask, probe bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.open {
		return true, false
	}
	if now.Before(b.next) {
		return false, false
	}
	b.next = now.Add(pause)
	return true, true
}

func (b *breaker) failed(ctx context.Context, now time.Time, err error) {
	b.mu.Lock()
	first := !b.open
	b.open, b.next = true, now.Add(pause)
	b.mu.Unlock()
	if first {
		b.logger.ErrorContext(ctx, "rate limits hold in each process alone: Redis does not answer", slog.Any("error", err))
	}
}

// succeeded records that Redis answered a request. Only the probe ends the outage: a late answer to a request that was
// sent before the outage does not show that Redis answers now.
func (b *breaker) succeeded(ctx context.Context, probe bool) {
	if !probe {
		return
	}
	b.mu.Lock()
	b.open = false
	b.mu.Unlock()
	b.logger.DebugContext(ctx, "rate limits hold over all processes again: Redis answers")
}
