// Package notify lets a process wait for work that another one does. The worker publishes a nudge when it is done,
// which takes less than a millisecond; what a nudge fails to announce, a look at the truth finds a moment later, for
// all who wait at once.
package notify

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// publishTimeout is what a worker waits for Redis: who waits for the work finds it without the nudge too.
const publishTimeout = 500 * time.Millisecond

// Publisher announces to waiting processes what is done. It is safe for concurrent use.
type Publisher struct{ client redis.UniversalClient }

// NewPublisher makes a publisher. The client stays the caller's to close, and must end its commands with their context
// (ContextTimeoutEnabled).
func NewPublisher(client redis.UniversalClient) *Publisher { return &Publisher{client: client} }

// Publish nudges the process that listens on channel, as Hub.Channel named it, after the work with this id has been
// committed. An empty channel means that nobody waits, and is no error. It gives up after half a second; the error is
// for the log, since the waiting process finds out by itself.
func (p *Publisher) Publish(ctx context.Context, channel, id string) error {
	if channel == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	if err := p.client.Publish(ctx, channel, id).Err(); err != nil {
		return fmt.Errorf("nudge the process that waits for %s: %w", id, err)
	}
	return nil
}
