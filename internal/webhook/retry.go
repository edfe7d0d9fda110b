package webhook

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// Delays and limits for a receiver that fails, whose webhook is disabled in the end, and the expiry of a delivery.
const (
	longestProbe = 10 * time.Minute // between attempts at a receiver that fails, whichever message it is
	giveUpAfter  = 72 * time.Hour   // after failing for so long, a webhook is disabled
	longestQuiet = 24 * time.Hour   // without an attempt for so long, the time does not count
	probeLease   = time.Minute      // until the next attempt at a receiver that fails may begin; longer than one can take
	expiry       = 24 * time.Hour   // of a delivery, after which it is given up; also the default in the schema
)

// delays returns the pauses between the attempts at one delivery, about a day in all. postpone makes each a little
// longer.
func delays() []time.Duration {
	return []time.Duration{
		5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8 * time.Hour,
	}
}

// fail stores that an attempt failed (see retry), and that the receiver failed (see distrust).
func (s *Service) fail(tx *postgres.Tx, item work.Item, j job, status int, failure error) error {
	if err := s.retry(tx, item, j, status, failure); err != nil {
		return err
	}
	return s.distrust(tx, j, status)
}

// retry stores that an attempt failed. It ends the delivery as failed if this was the last attempt or ExpiresAt has
// passed; otherwise it postpones the delivery. status is the status of the answer, 0 without an answer.
func (s *Service) retry(tx *postgres.Tx, item work.Item, j job, status int, failure error) error {
	var code any
	if status != 0 {
		code = status
	}
	err := tx.Exec(`UPDATE webhook_deliveries SET attempts = attempts + 1, attempted_at = now(), status_code = ?, error = ?
		WHERE id = ?`, code, failure.Error(), j.ID).Error
	if err != nil {
		return fmt.Errorf("note delivery %s: %w", j.ID, err)
	}
	if j.Attempts >= len(delays()) || time.Now().After(j.ExpiresAt) {
		return s.end(tx, item, j.ID, Failed, failure.Error())
	}
	tx.AfterCommit(func(context.Context) { s.Count("failed") })
	return s.postpone(tx, item, j.ID, delays()[j.Attempts])
}

// distrust stores that a receiver failed and when it may be tried again, unless the webhook has got another URL since
// the attempt began. It disables the webhook if the answer was 410 (Gone), or if the receiver has failed for longer
// than giveUpAfter. If RetryAt is more than longestQuiet ago, the receiver may have worked since then: failing_since
// moves by that time, and the failures are counted anew. status is the status of the answer, 0 without an answer.
func (s *Service) distrust(tx *postgres.Tx, j job, status int) error {
	var quiet time.Duration
	if j.RetryAt != nil && time.Since(*j.RetryAt) > longestQuiet {
		quiet, j.Failures = time.Since(*j.RetryAt), 0
	}
	pause := min(longestProbe, 5*time.Second<<min(j.Failures, 20))
	var since []time.Time // failing_since of now: a webhook that was enabled meanwhile begins anew
	err := tx.Raw(`UPDATE webhooks SET failing_since = COALESCE(failing_since + make_interval(secs => ?), now()),
		failures = CASE WHEN ? THEN 1 ELSE failures + 1 END, retry_at = now() + make_interval(secs => ?)
		WHERE id = ? AND url = ? RETURNING failing_since`,
		quiet.Seconds(), quiet > 0, pause.Seconds(), j.WebhookID, j.URL).Scan(&since).Error
	if err != nil {
		return fmt.Errorf("note that a receiver failed: %w", err)
	}
	var why string
	switch {
	case len(since) == 0:
		return nil
	case status == http.StatusGone:
		why = "the receiver answered 410 Gone"
	case time.Since(since[0]) > giveUpAfter:
		why = "the receiver failed for three days"
	default:
		return nil
	}
	return s.disable(tx, j, why)
}

// disable disables a webhook, and mails the members who can enable it again if the service sends mails. If the webhook
// is disabled already, it does nothing, so that two attempts that fail at the same time cause the mails once.
func (s *Service) disable(tx *postgres.Tx, j job, why string) error {
	disabled := tx.Exec(
		"UPDATE webhooks SET enabled = false, disabled_reason = ?, updated_at = now() WHERE id = ? AND enabled",
		why, j.WebhookID)
	if disabled.Error != nil {
		return fmt.Errorf("disable a webhook: %w", disabled.Error)
	}
	if disabled.RowsAffected == 0 {
		return nil
	}
	s.Logger.WarnContext(tx.Statement.Context, "a webhook is disabled",
		"webhook_id", j.WebhookID, "account_id", j.AccountID, "why", why)
	if s.MailBase == "" {
		return nil
	}
	if err := tx.Exec("SELECT app_mail_disabled_webhook(?, ?)", j.WebhookID, s.MailBase).Error; err != nil {
		return fmt.Errorf("mail that a webhook is disabled: %w", err)
	}
	return nil
}
