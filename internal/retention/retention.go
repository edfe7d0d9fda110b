// Package retention has the ages at which data that is no longer needed is removed, and how often that is done. Ages
// that an operator may set are in package config: of the audit log in audit.go, of changes in changes.go, of the
// answers of a model in model.go, of sessions in sessions.go.
package retention

import "time"

// Interval is the time between removals of old data.
const Interval = 10 * time.Minute

const day = 24 * time.Hour

// AbandonedFiles is the age at which a stored file is removed if no row names it: an upload of a creation, a batch of
// an import, a file of an email. It is longer than any transaction takes, so that a file whose row is just being
// committed is kept.
const AbandonedFiles = time.Hour

// How long rows of work are kept once the work is done, or has failed for good.
const (
	FinishedWork = day
	FailedWork   = 30 * day
)

const (
	// IdempotencyKeys is how long the answer to a request with an Idempotency-Key is kept. After that the key may be
	// used for another request.
	IdempotencyKeys = day

	// Mails is how long a mail is kept after it was sent or given up.
	Mails = 7 * day

	// Invitations is how long an invitation is kept after it expired, so that its token is refused with the reason
	// instead of NotFound.
	Invitations = 30 * day

	// WebhookDeliveries is how long a delivery of a webhook stays in its log.
	WebhookDeliveries = 30 * day

	// MailgunTokens is how long tokens of Mailgun are kept, each of which is valid once. It must be longer than a
	// signature of Mailgun is accepted, even if the clocks of API and database differ.
	MailgunTokens = day
)
