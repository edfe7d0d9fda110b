package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dealflow/internal/blob"
	"dealflow/internal/pdftext"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// isOutage reports whether err, which judged has returned, means that the database, the storage of files or the reading
// of PDFs is out of service, and not that the work itself failed. It is false for nil.
func isOutage(err error) bool {
	if errors.Is(err, errTooSlow) {
		return false
	}
	return postgres.IsUnreachable(err) || blob.IsUnavailable(err) || errors.Is(err, pdftext.ErrClosed) ||
		errors.Is(err, pdftext.ErrNoChild)
}

// errTooSlow is wrapped by the error of an attempt of which a transaction took longer than it may although the database
// answers: the next attempt would take as long, so the work itself has failed.
var errTooSlow = errors.New("a transaction took too long")

// pingTimeout is how long the database may take to answer before it counts as out of service.
const pingTimeout = 5 * time.Second

// judged returns the error of an attempt. If a transaction took longer than it may, it asks whether the database
// answers, and if so, the result wraps errTooSlow too. It must be called once and as soon as the attempt has ended: a
// database that is back would answer. Deliveries of webhooks are left out: the API sends them, where a transaction may
// take a few seconds only, and theirs are too short to have too much to do.
func (w *Worker) judged(ctx context.Context, item work.Item, err error) error {
	if !postgres.IsLate(err) || item.Queue == work.Webhooks {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingTimeout)
	defer cancel()
	if w.deps.Work.Reach(ctx) != nil {
		return err
	}
	return fmt.Errorf("%w: %w", errTooSlow, err)
}
