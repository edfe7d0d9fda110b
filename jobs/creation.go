package jobs

import (
	"context"

	"dealflow/internal/work"
)

// createCompany finds or makes the company of an email or a submission.
func (w *Worker) createCompany(ctx context.Context, item work.Item) error {
	return w.Creations.Create(ctx, item)
}
