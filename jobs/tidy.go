package jobs

import (
	"context"
	"time"

	"dealflow/internal/company/upload"
)

// tidyInterval is the time between removals of old data. finishedWorkAge and failedWorkAge are how long rows of work
// are kept once the work is done or has failed for good.
const (
	tidyInterval    = 10 * time.Minute
	finishedWorkAge = 24 * time.Hour
	failedWorkAge   = 30 * 24 * time.Hour
)

// tidy removes old data. What fails is tried again the next time.
func (s *Sweeper) tidy(ctx context.Context) {
	for _, one := range []struct {
		what   string
		remove func() error
	}{
		{"uploads", func() error { return second(s.Uploads.Sweep(ctx, upload.AbandonedAge)) }},
		{"batches of imports", func() error { return second(s.Imports.SweepBatches(ctx, upload.AbandonedAge)) }},
		{"files of emails", func() error { return second(s.Emails.Sweep(ctx, upload.AbandonedAge)) }},
		{"receipts of lost work and tokens", func() error { return s.Receiver.Tidy(ctx) }},
		{"finished work", func() error { return second(s.Work.Forget(ctx, finishedWorkAge, failedWorkAge)) }},
		{"answers of the model", func() error { return second(s.Analyst.ForgetAnswers(ctx)) }},
		{"idempotency keys", func() error { return second(s.Idempotency.Forget(ctx)) }},
		{"sessions and invitations", func() error { return s.Accounts.Forget(ctx) }},
		{"entries of the audit log", func() error { return s.Audit.Forget(ctx, s.AuditAge) }},
		{"changes", func() error { return s.Changes.Forget(ctx, s.ChangesAge) }},
	} {
		if err := one.remove(); err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "what is too old could not be removed; it will be", "of", one.what, "error", err)
		}
	}
}

// second returns the error of a call that also returns how much it removed.
func second[T any](_ T, err error) error { return err }
