package wakeup

import (
	"context"
	"time"
)

// Waiter waits for one piece of work. It costs a channel, and no goroutine.
type Waiter struct {
	hub   *Hub
	id    string
	since time.Time
	done  chan struct{}
}

// Register begins to wait for the work with this id. Call it before the work is committed, since a message for an id
// that nobody waits for is dropped. Close must be called in any case. Several waiters may wait for the same id.
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

// Done returns a channel that is closed once a message says that the work has ended. Read the row of the work then:
// only the row proves it.
func (w *Waiter) Done() <-chan struct{} { return w.done }

// Wait waits until a message says that the work has ended, and returns nil. It returns the error of ctx if ctx ends
// first.
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

// Close ends the waiting, whether or not the work has ended. It may be called again.
func (w *Waiter) Close() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	others := w.hub.waiting[w.id]
	delete(others, w)
	if len(others) == 0 {
		delete(w.hub.waiting, w.id)
	}
}
