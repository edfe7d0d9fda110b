package notify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	defaultPoll = 500 * time.Millisecond
	// lookTimeout bounds one look at the truth, so that a database that hangs does not end the looking.
	lookTimeout = 5 * time.Second
	// backlog is how many nudges may wait for the hub, which does next to nothing with one.
	backlog = 1000
)

// Options describe the process that waits.
type Options struct {
	ID string // unlike that of any other process, such as a UUID made at start
	// how long somebody waits for a nudge before the truth is looked at, and how often after; 500 ms when 0
	Poll   time.Duration
	Logger *slog.Logger // of looks that fail, and of when nudges arrive again after an outage of Redis

	// Settled returns those of the ids whose work has ended, well or badly. It is called with all ids whose nudge is
	// late, once for all of them and never twice at once; its ctx ends after five seconds.
	Settled func(ctx context.Context, ids []string) ([]string, error)
}

// Hub wakes those in this process who wait for work. It is safe for concurrent use.
type Hub struct {
	client  redis.UniversalClient
	channel string
	options Options
	look    chan struct{} // asks for a look at once, at all that somebody waits for
	begun   chan struct{} // says that somebody waits where nobody did

	mu      sync.Mutex
	waiting map[string]map[*Waiter]struct{} // by id
}

// NewHub makes a hub, which wakes nobody before Run. The client stays the caller's to close.
func NewHub(client redis.UniversalClient, options Options) *Hub {
	if options.Poll <= 0 {
		options.Poll = defaultPoll
	}
	return &Hub{
		client:  client,
		channel: "notify:" + options.ID,
		options: options,
		look:    make(chan struct{}, 1),
		begun:   make(chan struct{}, 1),
		waiting: map[string]map[*Waiter]struct{}{},
	}
}

// Channel is where a worker publishes for this process. Store it with the work.
func (h *Hub) Channel() string { return h.channel }

// Run listens and looks until ctx ends; stop serving before that, since nobody is woken afterwards. It runs once. It
// needs no Redis to work, only to be quick.
func (h *Hub) Run(ctx context.Context) {
	var listening sync.WaitGroup
	listening.Go(func() { h.listen(ctx) })
	h.keepLooking(ctx)
	listening.Wait()
}

// listen leaves connecting, and connecting again, to the client library.
func (h *Hub) listen(ctx context.Context) {
	pubsub := h.client.Subscribe(ctx, h.channel)
	defer pubsub.Close()
	events := pubsub.ChannelWithSubscriptions(redis.WithChannelSize(backlog))
	for again := false; ; {
		select {
		case <-ctx.Done():
			return
		case event, open := <-events:
			if !open { // the client was closed
				return
			}
			switch event := event.(type) {
			case *redis.Message:
				h.wake(event.Payload)
			case *redis.Subscription:
				h.subscribed(ctx, again)
				again = true
			}
		}
	}
}

// subscribed looks at once for what was published while nobody listened.
func (h *Hub) subscribed(ctx context.Context, again bool) {
	if again {
		h.options.Logger.InfoContext(ctx, "nudges from workers arrive again: the connection to Redis was lost")
	}
	signal(h.look)
}

// signal leaves a message in a channel that has room for one.
func signal(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default: // the one that is there will do
	}
}

// keepLooking calls Settled in a goroutine of its own, so that a slow database holds up no nudge. While nobody waits
// it sleeps.
func (h *Hub) keepLooking(ctx context.Context) {
	timer := time.NewTimer(h.options.Poll)
	defer timer.Stop()
	for failing := false; ; {
		patience := h.options.Poll
		select {
		case <-ctx.Done():
			return
		case <-h.begun:
		case <-timer.C:
		case <-h.look:
			patience = 0
		}
		ids, next := h.late(patience)
		err := h.lookAt(ctx, ids)
		if err != nil && !failing && ctx.Err() == nil {
			h.options.Logger.ErrorContext(ctx, "cannot look whether work is done, requests wait for nudges alone",
				slog.Any("error", err))
		}
		failing = err != nil
		if timer.Stop(); next > 0 {
			timer.Reset(next)
		}
	}
}

func (h *Hub) lookAt(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	settled, err := h.options.Settled(ctx, ids)
	h.wake(settled...)
	return err
}

// late returns the ids for which somebody has waited that long, and when to ask again; 0 where nobody waits.
func (h *Hub) late(patience time.Duration) (ids []string, next time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	for id, waiters := range h.waiting {
		var longest time.Duration
		for w := range waiters {
			longest = max(longest, now.Sub(w.since))
		}
		if longest >= patience {
			ids = append(ids, id)
		} else if left := patience - longest; next == 0 || left < next {
			next = left
		}
	}
	if len(ids) > 0 { // those that are late a moment later can share the next look
		next = h.options.Poll
	}
	return ids, next
}

func (h *Hub) wake(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		for w := range h.waiting[id] {
			close(w.done)
		}
		delete(h.waiting, id)
	}
}
