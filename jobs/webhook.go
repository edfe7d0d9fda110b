package jobs

import (
	"context"

	"dealflow/internal/work"
)

// sendMessage tries once to send a message of a webhook.
func (w *Worker) sendMessage(ctx context.Context, item work.Item) error {
	return w.deps.Webhooks.Deliver(ctx, item)
}
