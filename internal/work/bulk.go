package work

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/postgres"
)

// Admitted is how many bulk items of one account are in the queue or with a worker at a time. It bounds how long
// another account's first one waits, and how many workers one account can occupy.
const Admitted = 8

// AdmitOf puts an account's bulk items into the queue whose turn it is. Where it fails, Admit finds them.
func (s *Store) AdmitOf(ctx context.Context, accountID uuid.UUID) {
	found, err := s.admit(ctx, &accountID)
	if err != nil {
		s.log.WarnContext(ctx, "bulk work could not be admitted; the sweep will", "account_id", accountID, "error", err)
	}
	for _, ref := range found {
		s.tell(ctx, ref, 0)
	}
}

// Admit puts every account's bulk items whose turn it is into the queue, as the sweep does: mostly each of them is
// admitted when one before it ends.
func (s *Store) Admit(ctx context.Context) error {
	found, err := s.admit(ctx, nil)
	for _, ref := range found {
		s.tell(ctx, ref, 0)
	}
	return err
}

func (s *Store) admit(ctx context.Context, accountID *uuid.UUID) ([]Ref, error) {
	var found []Ref
	err := s.db.Read(ctx, postgres.AsUser(uuid.Nil), postgres.Found(s.db, &found, func(db *gorm.DB) *gorm.DB {
		return db.Table("app_admit_work(?::uuid, ?) AS work", accountID, Admitted).Find(&[]Ref{})
	}))
	if err != nil {
		return nil, fmt.Errorf("admit bulk work: %w", err)
	}
	return found, nil
}

// Waits reports whether bulk work that is in the queue waits for a worker.
func (s *Store) Waits(ctx context.Context) (bool, error) {
	var waits bool
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error { return tx.Raw("SELECT app_bulk_waits()").Scan(&waits).Error })
	if err != nil {
		return false, fmt.Errorf("ask whether bulk work waits: %w", err)
	}
	return waits, nil
}

// Progress proves that an attempt is still ours until the transaction ends, and counts failures and losses anew, as
// the work gets somewhere; ErrLost where it was taken away, which must undo what the transaction wrote.
func Progress(tx *postgres.Tx, item Item) error {
	done := tx.Exec("UPDATE work SET failures = 0, losses = 0, outages = 0 WHERE id = ? AND attempt = ? AND state = "+
		"'running'", item.ID, item.Attempt)
	if done.Error != nil {
		return fmt.Errorf("hold work %s: %w", item.Kind, done.Error)
	}
	if done.RowsAffected == 0 {
		return ErrLost
	}
	return nil
}

// Again queues an item that got somewhere and has more to do, behind what waits in the queue: as another attempt,
// whose failures are counted anew.
func (s *Store) Again(ctx context.Context, item Item) error {
	next := item.Ref()
	next.Attempt++
	err := s.db.As(ctx, item.UserID, func(tx *postgres.Tx) error {
		done := tx.Exec(`UPDATE work SET state = 'queued', attempt = attempt + 1, failures = 0, losses = 0, outages = 0,
			run_after = now(),
			told_at = now(), lease_until = NULL WHERE id = ? AND attempt = ? AND state = 'running'`, item.ID, item.Attempt)
		if done.Error == nil && done.RowsAffected == 0 {
			return ErrLost
		}
		tx.AfterCommit(func(ctx context.Context) { s.tell(ctx, next, 0) })
		return done.Error
	})
	if err != nil {
		return fmt.Errorf("queue work %s again: %w", item.Kind, err)
	}
	return nil
}

// Postpone queues an item again after a delay, before the transaction commits: as another attempt, whose failures are
// counted anew.
func (s *Store) Postpone(tx *postgres.Tx, item Item, delay time.Duration) error {
	next := item.Ref()
	next.Attempt++
	done := tx.Exec(`UPDATE work SET state = 'queued', attempt = attempt + 1, failures = 0, losses = 0, outages = 0,
		run_after = now() + make_interval(secs => ?), told_at = now(), lease_until = NULL
		WHERE id = ? AND attempt = ? AND state = 'running'`, delay.Seconds(), item.ID, item.Attempt)
	if done.Error != nil {
		return fmt.Errorf("postpone work %s: %w", item.Kind, done.Error)
	}
	if done.RowsAffected == 0 {
		return ErrLost
	}
	tx.AfterCommit(func(ctx context.Context) { s.tell(ctx, next, delay) })
	return nil
}
