package jobs

import (
	"context"

	"dealflow/internal/work"
)

// takeIn keeps a mail that was received, or says on its receipt why it cannot be kept.
func (w *Worker) takeIn(ctx context.Context, item work.Item) error {
	return w.Receiver.TakeIn(ctx, item)
}
