package jobs

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"dealflow/internal/account"
	"dealflow/internal/audit"
	"dealflow/internal/changes"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/upload"
	"dealflow/internal/email"
	"dealflow/internal/idempotency"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/retention"
	"dealflow/internal/wakeup"
	"dealflow/internal/work"
)

// Sweeper queues work again that the queue lost, and removes data that is no longer needed, such as abandoned uploads.
// All fields are required, unless they say what 0 means. Several processes may run a Sweeper at the same time.
type Sweeper struct {
	Work        *work.Store
	Client      *Client
	Publisher   *wakeup.Publisher
	Uploads     *upload.Store
	Analyst     *analyst.Analyst
	Imports     *imports.Writer
	Receiver    *hooks.Receiver
	Emails      *email.Service
	Idempotency *idempotency.Store
	Accounts    *account.Service
	Audit       *audit.Log
	AuditAge    time.Duration // how long entries of the audit log are kept; 0: forever
	Changes     *changes.Feed
	ChangesAge  time.Duration // how long changes are kept; 0: forever
	Interval    time.Duration // between sweeps for lost work; 0: a second
	// how long after a row was put into the queue it may be lost; 0: 4 seconds, longer than an idle queue needs
	Quiet  time.Duration
	Logger *slog.Logger

	sound time.Time // since when every sweep has reached the database; zero if the last one failed
	last  time.Time // when the last one reached it, by the wall clock
}

// Run sweeps until ctx ends, and then returns nil. It must be called once. It logs what fails and tries it again at the
// next sweep. It removes old data in another goroutine, since that may last minutes and lost work must not wait for it.
func (s *Sweeper) Run(ctx context.Context) error {
	var removing sync.WaitGroup
	defer removing.Wait()
	removing.Go(func() {
		s.removeOldData(ctx)
		every(ctx, retention.Interval, s.removeOldData)
	})
	every(ctx, cmp.Or(s.Interval, dueInterval), s.sweepWork)
	return nil
}

// every calls do after each interval until ctx ends. It does not call do twice at the same time.
func every(ctx context.Context, interval time.Duration, do func(context.Context)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			do(ctx)
		}
	}
}
