package jobs

import (
	"context"

	"dealflow/internal/retention"
)

// removeOldData removes data that is older than package retention and the settings allow. It logs an error and
// continues with the next kind of data; the next call tries again.
func (s *Sweeper) removeOldData(ctx context.Context) {
	for _, one := range []struct {
		what   string
		remove func() error
	}{
		{"uploads", func() error { return second(s.Uploads.Sweep(ctx, retention.AbandonedFiles)) }},
		{"batches of imports", func() error { return second(s.Imports.SweepBatches(ctx, retention.AbandonedFiles)) }},
		{"files of emails", func() error { return second(s.Emails.Sweep(ctx, retention.AbandonedFiles)) }},
		{"receipts of lost work", func() error { return s.Receiver.FailLostReceipts(ctx) }},
		{"tokens of Mailgun", func() error { return s.Receiver.ForgetTokens(ctx) }},
		{"finished work", func() error { return second(s.Work.Forget(ctx, retention.FinishedWork, retention.FailedWork)) }},
		{"answers of the model", func() error { return second(s.Analyst.ForgetAnswers(ctx)) }},
		{"idempotency keys", func() error { return second(s.Idempotency.Forget(ctx)) }},
		{"sessions and invitations", func() error { return s.Accounts.Forget(ctx) }},
		{"entries of the audit log", func() error { return s.Audit.Forget(ctx, s.AuditAge) }},
		{"changes", func() error { return s.Changes.Forget(ctx, s.ChangesAge) }},
	} {
		if err := one.remove(); err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "old data could not be removed; it will be tried again", "of", one.what, "error", err)
		}
	}
}

// second returns the error of a call that also returns how much it removed.
func second[T any](_ T, err error) error { return err }
