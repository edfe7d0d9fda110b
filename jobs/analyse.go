package jobs

import (
	"context"

	"dealflow/internal/work"
)

// analyse reads and analyses a company, or a dry run's.
func (w *Worker) analyse(ctx context.Context, item work.Item) error {
	return w.Companies.Analyse(ctx, item)
}
