package wakeup

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	defaultPoll = 500 * time.Millisecond
	// lookTimeout bounds a call of Ended, so that the hub tries again if the database hangs.
	lookTimeout = 5 * time.Second
	// backlog is how many messages may wait for the hub, which needs almost no time for each.
	backlog = 1000
)

// Options describe the process that waits. All but Poll are required.
type Options struct {
	ID string // unlike that of any other process, such as a UUID made at start
	// how long a waiter waits for a message before Ended is called, and the time between later calls; 500 ms when 0
	Poll   time.Duration
	Logger *slog.Logger // of failed calls of Ended, and of messages that arrive again after an outage of Redis

	// Ended returns those of the ids whose work has ended, whether it succeeded or failed. It is called with the ids
	// for which somebody has waited longer than Poll, or with all ids after Redis was subscribed to. It is never called
	// twice at the same time; its ctx ends after five seconds.
	Ended func(ctx context.Context, ids []string) ([]string, error)
}

// Hub notifies the waiters of this process when their work has ended. It is safe for concurrent use.
type Hub struct {
	channel string
	options Options
	look    chan struct{} // requests a call of Ended at once, with all ids that are waited for
	begun   chan struct{} // signals the first waiter

	// subscribe subscribes to the channel. It is a function, since each package that uses a struct with the client in
	// it would compile the client's 700 methods again (ADR 115).
	subscribe func(context.Context) (events <-chan any, end func() error)

	mu      sync.Mutex
	waiting map[string]map[*Waiter]struct{} // by id
}

// NewHub returns a Hub that listens by client. It notifies no waiter before Run is called. The caller must close the
// client, after Run has returned.
func NewHub(client redis.UniversalClient, options Options) *Hub {
	if options.Poll <= 0 {
		options.Poll = defaultPoll
	}
	channel := "notify:" + options.ID
	return &Hub{
		channel: channel,
		options: options,
		look:    make(chan struct{}, 1),
		begun:   make(chan struct{}, 1),
		subscribe: func(ctx context.Context) (<-chan any, func() error) {
			pubsub := client.Subscribe(ctx, channel)
			return pubsub.ChannelWithSubscriptions(redis.WithChannelSize(backlog)), pubsub.Close
		},
		waiting: map[string]map[*Waiter]struct{}{},
	}
}

// Channel returns the name of the Redis channel on which workers publish for this process. It must be stored with the
// work, so that the worker can pass it to Publish.
func (h *Hub) Channel() string { return h.channel }

// Run notifies waiters until ctx ends. It must be called once, and ctx must last until the last waiter is done, since
// no waiter is notified afterwards. Without Redis it notifies them later, by Ended alone.
func (h *Hub) Run(ctx context.Context) {
	var listening sync.WaitGroup
	listening.Go(func() { h.listen(ctx) })
	h.keepLooking(ctx)
	listening.Wait()
}

// listen notifies the waiters of each id that is published, until ctx ends. go-redis connects, and connects again by
// itself.
func (h *Hub) listen(ctx context.Context) {
	events, end := h.subscribe(ctx)
	defer func() { _ = end() }()
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

// subscribed makes keepLooking call Ended at once, since messages that were published while the hub did not listen
// are lost. again is true for every subscription but the first.
func (h *Hub) subscribed(ctx context.Context, again bool) {
	if again {
		h.options.Logger.InfoContext(ctx, "messages from workers arrive again: the connection to Redis was lost")
	}
	signal(h.look)
}

// signal sends to a channel with room for one message; it does nothing if the channel is full.
func signal(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default: // a message is there already, which says the same
	}
}

// keepLooking calls Ended for the ids that have waited too long for a message, until ctx ends. It runs in another
// goroutine than listen, so that a slow database does not delay messages. While there are no waiters it does nothing.
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
			h.options.Logger.ErrorContext(ctx, "the state of work could not be read; requests wait only for messages of workers",
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
	ended, err := h.options.Ended(ctx, ids)
	h.wake(ended...)
	return err
}

// late returns the ids of which some waiter has waited for at least patience, and the time after which late must be
// called again: 0 if there is no waiter.
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
	if len(ids) > 0 { // ids that are late a moment later share the next call of Ended
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
