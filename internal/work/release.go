package work

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"dealflow/internal/postgres"
)

// Delays between attempts. A failure may wait long, since it is likely to fail again; an outage ends at some moment,
// and then the work should go on.
const (
	firstDelay    = time.Second
	longestDelay  = 5 * time.Minute
	longestOutage = 15 * time.Second
)

// Fail releases an attempt that failed by a fault of its own, and keeps the cause on the row. Another is queued
// after a delay that doubles with each failure, unless this was the last one; over reports whether it was. The error
// is ErrLost where the attempt was taken away.
func (s *Store) Fail(ctx context.Context, item Item, cause error) (over bool, err error) {
	return s.release(ctx, item, backoff(item.Failures, longestDelay), "failures = failures + 1, error = ?", cause.Error())
}

// Interrupt releases an attempt that an outage cut short: it counts against nothing but the delay before the next
// one. The error is ErrLost where the attempt was taken away.
func (s *Store) Interrupt(ctx context.Context, item Item, cause error) error {
	_, err := s.release(ctx, item, backoff(item.Outages, longestOutage), "outages = outages + 1, interruption = ?",
		cause.Error())
	return err
}

// HandOver releases an attempt that its worker has no more time for, so that another worker takes it at once. The
// error is ErrLost where the attempt was taken away.
func (s *Store) HandOver(ctx context.Context, item Item) error {
	_, err := s.release(ctx, item, 0, "interruption = ?", "its worker was stopped")
	return err
}

// release counts the end of an attempt, and queues another unless its failures have ended the work. Bulk work waits
// outside the queue, where its place is another's meanwhile; app_admit_work finds it.
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
		s.tell(ctx, next, delay)
	}
	return state == Failed, nil
}

func lostUnless(err error) error {
	if err == nil {
		return ErrLost
	}
	return err
}

// backoff doubles from firstDelay with each time before, up to longest, and subtracts up to half of that by chance.
func backoff(before int, longest time.Duration) time.Duration {
	delay := min(longest, firstDelay<<min(before, 20))
	return delay - rand.N(delay/2) //nolint:gosec // spreads attempts, guards nothing
}
