package ratelimit

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// pause is how long Redis is left alone after it has not answered, so that not every request waits for it.
const pause = time.Second

// breaker decides whether a request calls Redis, and logs an outage once. open means that Redis did not answer.
type breaker struct {
	logger *slog.Logger
	mu     sync.Mutex
	open   bool
	next   time.Time // when one request may try again
}

// ask reports whether this request is to call Redis, and whether it is the one that probes Redis after a failure.
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

// succeeded records that Redis answered a request. Only the probe ends the outage: a late answer to an earlier request
// does not show that Redis answers now.
func (b *breaker) succeeded(ctx context.Context, probe bool) {
	if !probe {
		return
	}
	b.mu.Lock()
	b.open = false
	b.mu.Unlock()
	b.logger.DebugContext(ctx, "rate limits hold over all processes again: Redis answers")
}
