package jobs

import (
	"context"

	"dealflow/internal/work"
)

// read reads the words of a PDF that was attached.
func (w *Worker) read(ctx context.Context, item work.Item) error {
	return w.Companies.Read(ctx, item)
}

// purge removes the stored files of what was deleted.
func (w *Worker) purge(ctx context.Context, item work.Item) error {
	return w.Companies.Purge(ctx, item)
}
