// Package wakeup lets a process wait for work that another process does. When the work is done, the worker publishes a
// message, which arrives in less than a millisecond. If a message is lost, Hub finds out a moment later by a call of
// Options.Ended, which is one call for all waiters.
package wakeup

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// publishTimeout is how long Publish waits for Redis. It can be short: without the message, Hub finds out by itself.
const publishTimeout = 500 * time.Millisecond

// Publisher notifies waiting processes that work has ended. It is safe for concurrent use.
type Publisher struct{ client redis.UniversalClient }

// NewPublisher returns a Publisher. The caller must close the client, whose commands must end with their context
// (ContextTimeoutEnabled).
func NewPublisher(client redis.UniversalClient) *Publisher { return &Publisher{client: client} }

// Publish notifies the waiters for the work with this id in the process that listens on channel (see Hub.Channel). Call
// it after the work was committed. If channel is "", no process waits, and it does nothing. It returns an error after
// half a second without an answer. The caller should only log the error, since the waiting process finds out by itself.
func (p *Publisher) Publish(ctx context.Context, channel, id string) error {
	if channel == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	if err := p.client.Publish(ctx, channel, id).Err(); err != nil {
		return fmt.Errorf("notify the process that waits for %s: %w", id, err)
	}
	return nil
}
