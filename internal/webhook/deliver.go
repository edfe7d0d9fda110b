package webhook

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/program"
	"dealflow/internal/work"
)

// job is a delivery with the columns of its webhook that an attempt needs.
type job struct {
	Delivery

	Secrets      secrets `gorm:"embedded"`
	URL          string
	Enabled      bool
	FailingSince *time.Time
	Failures     int
	RetryAt      *time.Time
}

// Deliver makes one attempt at a delivery. It sends nothing if the delivery is no longer pending, if the webhook is
// disabled, or while another message tests a receiver that fails (see begin).
//
// If the message cannot be signed or sent, or the status of the answer is not 2xx, Deliver stores the failure with the
// delivery, and returns nil. A message that cannot be signed does not count as a failure of the receiver. Deliver
// returns errors of the database, and the cause of the end of ctx if an attempt failed after ctx had ended: that
// attempt does not count. If the process dies after it has sent the message, another one sends it again with the same
// id.
func (s *Service) Deliver(ctx context.Context, item work.Item) error {
	var j job
	ready := false
	err := s.DB.As(ctx, item.UserID, func(tx *postgres.Tx) (err error) {
		ready, err = s.begin(tx, item, &j)
		return err
	})
	if err != nil || !ready {
		return err
	}
	header, err := s.signed(j)
	if err != nil {
		s.Logger.WarnContext(ctx, "a message could not be signed", "webhook_id", j.WebhookID, "account_id", j.AccountID,
			"error", err)
		return s.DB.As(ctx, item.UserID, func(tx *postgres.Tx) error { return s.retry(tx, item, j, 0, err) })
	}
	status, failure := s.post(ctx, j, header)
	if failure != nil && ctx.Err() != nil { // this process stops: another one repeats the attempt
		return context.Cause(ctx)
	}
	return s.DB.As(ctx, item.UserID, func(tx *postgres.Tx) error {
		if failure == nil {
			return s.succeed(tx, item, j, status)
		}
		return s.fail(tx, item, j, status, failure)
	})
}

// begin loads a delivery into j and reports whether it is to be sent now. If not, begin finishes the work of a delivery
// that is not pending, ends a delivery as failed if its webhook is disabled, and postpones a delivery to a receiver
// that fails, or ends it as failed after its ExpiresAt. A receiver that fails is sent one message at a time, when its
// retry_at has passed, so that it occupies no more than one worker.
func (s *Service) begin(tx *postgres.Tx, item work.Item, j *job) (bool, error) {
	var found []job
	err := tx.Raw(`SELECT d.*, w.url, w.enabled, w.secret, w.old_secret, w.old_secret_until, now() AS read_at,
		w.failing_since, w.failures, w.retry_at FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
		WHERE d.id = ? AND d.state = 'pending'`, item.SubjectID).Scan(&found).Error
	if err != nil {
		return false, fmt.Errorf("load the delivery: %w", err)
	}
	if len(found) == 0 { // deleted with its webhook
		return false, work.Finish(tx, item, nil)
	}
	*j = found[0]
	if !j.Enabled {
		return false, s.end(tx, item, j.ID, Failed, "the webhook is disabled")
	}
	if j.FailingSince == nil {
		return true, nil
	}
	probe := tx.Exec("UPDATE webhooks SET retry_at = now() + make_interval(secs => ?) WHERE id = ? AND retry_at <= now()",
		probeLease.Seconds(), j.WebhookID)
	if probe.Error != nil || probe.RowsAffected == 1 {
		return probe.Error == nil, probe.Error
	}
	if time.Now().After(j.ExpiresAt) {
		return false, s.end(tx, item, j.ID, Failed, "the receiver failed for a day")
	}
	return false, s.postpone(tx, item, j.ID, time.Until(*j.RetryAt))
}

// postpone delays a delivery by at least delay and at least a second. It adds a random part of up to a quarter of that
// and a second, so that postponed deliveries are not all sent at the same time.
func (s *Service) postpone(tx *postgres.Tx, item work.Item, id uuid.UUID, delay time.Duration) error {
	delay = max(delay, time.Second)
	delay += rand.N(delay/4 + time.Second) //nolint:gosec // spreads attempts, guards nothing
	err := tx.Exec("UPDATE webhook_deliveries SET next_at = now() + make_interval(secs => ?) WHERE id = ?",
		delay.Seconds(), id).Error
	if err != nil {
		return fmt.Errorf("postpone delivery %s: %w", id, err)
	}
	return s.Work.Postpone(tx, item, delay)
}

// end sets the final state of a delivery that is given up, and finishes its work. It stores why as the error of the
// delivery unless an error is stored already.
func (s *Service) end(tx *postgres.Tx, item work.Item, id uuid.UUID, state, why string) error {
	err := tx.Exec("UPDATE webhook_deliveries SET state = ?, error = COALESCE(error, ?), next_at = NULL WHERE id = ?",
		state, why, id).Error
	if err != nil {
		return fmt.Errorf("end delivery %s: %w", id, err)
	}
	tx.AfterCommit(func(context.Context) { s.Count("given_up") })
	return work.Finish(tx, item, nil)
}

// signed returns the header of a message, signed with the current secret and with those that were replaced within a
// day. The error says that the keys of this process cannot open the current secret, or that a secret is malformed.
func (s *Service) signed(j job) (http.Header, error) {
	current, err := s.box.Open(j.WebhookID.String(), j.Secrets.Secret)
	if err != nil {
		return nil, fmt.Errorf("the secret, which can be rotated: %w", err)
	}
	signing := []string{current}
	for _, old := range s.old(j.WebhookID, j.Secrets) {
		signing = append(signing, old.Text)
	}
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", "dealflow/"+program.ThisBuild().Version)
	return header, sign(header, signing, j.ID.String(), time.Now(), j.Body)
}

// post sends a delivery. It returns the status of the answer, 0 without an answer. An error of the HTTP client is
// returned as outward returns it, and without the URL, which may contain a token.
func (s *Service) post(ctx context.Context, j job, header http.Header) (status int, err error) {
	status, err = post(ctx, s.client, j.URL, j.Body, header)
	if wrapped, found := errors.AsType[*url.Error](err); found {
		err = outward(wrapped.Err) // without the URL, which may hold a token
	}
	return status, err
}

// outward returns err without the addresses of this network that it contains, since those who may read the deliveries
// of a webhook need not know them: what a name of this network resolves to, the name server, and this machine. The
// address of the receiver stays: it is public, unless private ones are allowed.
func outward(err error) error {
	if errors.Is(err, errPrivate) {
		return errPrivate
	}
	if lookup, found := errors.AsType[*net.DNSError](err); found {
		known := *lookup
		known.Server, known.Err = "", "the name server did not answer"
		switch {
		case known.IsNotFound:
			known.Err = "no such host"
		case known.IsTimeout:
			known.Err = "timed out"
		}
		return &known
	}
	if operation, found := errors.AsType[*net.OpError](err); found {
		known := *operation
		known.Source = nil
		return &known
	}
	return err
}

// succeed stores that a delivery arrived and with which status. It also stores that its receiver no longer fails,
// unless the webhook has got another URL since the attempt began.
func (s *Service) succeed(tx *postgres.Tx, item work.Item, j job, status int) error {
	err := tx.Exec(`UPDATE webhook_deliveries SET state = 'delivered', attempts = attempts + 1, attempted_at = now(),
		next_at = NULL, error = NULL, status_code = ? WHERE id = ?`, status, j.ID).Error
	if err == nil && j.FailingSince != nil {
		err = tx.Exec("UPDATE webhooks SET failing_since = NULL, failures = 0, retry_at = NULL WHERE id = ? AND url = ?",
			j.WebhookID, j.URL).Error
	}
	if err != nil {
		return fmt.Errorf("note delivery %s: %w", j.ID, err)
	}
	tx.AfterCommit(func(context.Context) { s.Count("delivered") })
	return work.Finish(tx, item, nil)
}
