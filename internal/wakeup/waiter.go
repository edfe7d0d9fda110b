package wakeup

import (
	"context"
	"time"
)

// Waiter waits for one piece of work. It is safe for concurrent use, and needs no goroutine.
type Waiter struct {
	hub   *Hub
	id    string
	since time.Time
	done  chan struct{}
}

// Register begins to wait for the work with this id, and returns at once. Call it before the work is committed, since a
// message for an id that has no waiter is dropped. The caller must close the Waiter. Several waiters may wait for the
// same id.
func (h *Hub) Register(id string) *Waiter {
	w := &Waiter{hub: h, id: id, since: time.Now(), done: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) == 0 {
		signal(h.begun)
	}
	if h.waiting[id] == nil {
		h.waiting[id] = map[*Waiter]struct{}{}
	}
	h.waiting[id][w] = struct{}{}
	return w
}

// Done returns a channel that is closed once the work is reported to have ended, by a message or by Ended. The caller
// must then read the row of the work: only the row proves the end.
func (w *Waiter) Done() <-chan struct{} { return w.done }

// Wait waits until Done is closed, and returns nil. It returns the error of ctx if ctx ends first. If the Waiter is
// closed first, Done is never closed.
func (w *Waiter) Wait(ctx context.Context) error {
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-w.done: // both happened at once: the end of the work counts
		return nil
	default:
		return ctx.Err()
	}
}

// Close ends the waiting, whether or not the work has ended. A second call does nothing.
func (w *Waiter) Close() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	others := w.hub.waiting[w.id]
	delete(others, w)
	if len(others) == 0 {
		delete(w.hub.waiting, w.id)
	}
}
