package jobs

import (
	"context"
	"errors"
	"time"

	"dealflow/internal/blob"
	"dealflow/internal/pdftext"
	"dealflow/internal/postgres"
)

// isOutage reports whether err means that the database, the storage of files or the reading of PDFs is out of service,
// and not that the work itself failed. It is false for nil.
func isOutage(err error) bool {
	return postgres.IsUnreachable(err) || blob.IsUnavailable(err) || errors.Is(err, pdftext.ErrClosed) ||
		errors.Is(err, pdftext.ErrNoChild)
}

// pingTimeout is how long the database may take to answer before it counts as out of service.
const pingTimeout = 5 * time.Second

// isTooSlow reports whether err means that a transaction took longer than it may although the database answers: then
// the next attempt would take as long, and the work itself has failed.
func (w *Worker) isTooSlow(ctx context.Context, err error) bool {
	if !postgres.IsLate(err) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return w.deps.Work.Reach(ctx) == nil
}
