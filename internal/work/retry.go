package work

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"dealflow/internal/postgres"
)

// Delays between attempts. After failures they grow long, since the work is likely to fail again. During an outage they
// remain short, so that work continues soon after its end.
const (
	firstDelay    = time.Second
	longestDelay  = 5 * time.Minute
	longestOutage = 15 * time.Second
)

// Fail ends an attempt that failed because of the work itself, and stores the cause in the row. It queues the next
// attempt after a delay that doubles with each failure up to longestDelay. over reports whether there is no next
// attempt, since MaxAttempts have failed. The error is ErrLost if another worker has taken the attempt over.
func (s *Store) Fail(ctx context.Context, item Item, cause error) (over bool, err error) {
	return s.release(ctx, item, backoff(item.Failures, longestDelay), "failures = failures + 1, error = ?", cause.Error())
}

// Interrupt ends an attempt that an outage cut short, stores the cause in the row, and queues the next attempt. It is
// not a failure: only the delay before the next attempt grows with each outage. The error is ErrLost if another worker
// has taken the attempt over.
func (s *Store) Interrupt(ctx context.Context, item Item, cause error) error {
	_, err := s.release(ctx, item, backoff(item.Outages, longestOutage), "outages = outages + 1, interruption = ?",
		cause.Error())
	return err
}

// HandOver ends an attempt whose worker is stopping, and queues the next one, so that another worker begins it at once;
// bulk work waits until it is admitted again. It is not a failure. The error is ErrLost if another worker has taken the
// attempt over.
func (s *Store) HandOver(ctx context.Context, item Item) error {
	_, err := s.release(ctx, item, 0, "interruption = ?", "its worker was stopped")
	return err
}

// release ends an attempt and queues the next one, unless as many as MaxAttempts have failed: over reports whether they
// have. count is the SQL assignment that counts this attempt, with why as its argument. release does not put bulk work
// into the queue of Redis, since other work of the account may have taken its place: app_admit_work finds it later. The
// error is ErrLost if the attempt is no longer running.
func (s *Store) release(ctx context.Context, item Item, delay time.Duration, count, why string) (over bool, err error) {
	var state string
	err = s.db.As(ctx, item.UserID, func(tx *postgres.Tx) error {
		counted := tx.Exec("UPDATE work SET "+count+" WHERE id = ? AND attempt = ? AND state = 'running'", why, item.ID,
			item.Attempt)
		if counted.Error != nil || counted.RowsAffected == 0 {
			return lostUnless(counted.Error)
		}
		return tx.Raw(`UPDATE work SET lease_until = NULL, run_after = now() + make_interval(secs => ?),
			state = CASE WHEN failures < max_attempts THEN 'queued' ELSE 'failed' END,
			attempt = attempt + (failures < max_attempts)::int,
			told_at = CASE queue WHEN 'bulk' THEN NULL ELSE now() END,
			finished_at = CASE WHEN failures < max_attempts THEN NULL ELSE now() END
			WHERE id = ? RETURNING state`, delay.Seconds(), item.ID).Scan(&state).Error
	})
	if err != nil {
		return false, fmt.Errorf("release work %s: %w", item.Kind, err)
	}
	if next := item.Ref(); state == Queued && item.Queue != Bulk {
		next.Attempt++
		s.enqueue(ctx, next, delay)
	}
	return state == Failed, nil
}

func lostUnless(err error) error {
	if err == nil {
		return ErrLost
	}
	return err
}

// backoff returns the delay before the next attempt: firstDelay doubled once for each of the attempts before, and at
// most longest; less a random part of up to half of that.
func backoff(before int, longest time.Duration) time.Duration {
	delay := min(longest, firstDelay<<min(before, 20))
	return delay - rand.N(delay/2) //nolint:gosec // spreads attempts, guards nothing
}
