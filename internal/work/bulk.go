package work

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/postgres"
)

// AdmitOf puts bulk items of an account that are due into the queue, until Admitted of them are there or with a worker.
// If that fails, it logs a warning, and a later Admit does it.
func (s *Store) AdmitOf(ctx context.Context, accountID uuid.UUID) {
	found, err := s.admit(ctx, &accountID)
	if err != nil {
		s.log.WarnContext(ctx, "bulk work could not be admitted; the sweep will admit it", "account_id", accountID, "error",
			err)
	}
	for _, ref := range found {
		s.enqueue(ctx, ref, 0)
	}
}

// Admit does for every account what AdmitOf does for one. The sweep calls it; most items are put into the queue by
// AdmitOf, when an earlier item ends. The error is the database's; that an item could not be put into the queue is only
// logged, and Due finds the item later.
func (s *Store) Admit(ctx context.Context) error {
	found, err := s.admit(ctx, nil)
	for _, ref := range found {
		s.enqueue(ctx, ref, 0)
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

// Waits reports whether a bulk item of any account is in the queue and due, but not with a worker yet.
func (s *Store) Waits(ctx context.Context) (bool, error) {
	var waits bool
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error { return tx.Raw("SELECT app_bulk_waits()").Scan(&waits).Error })
	if err != nil {
		return false, fmt.Errorf("ask whether bulk work waits: %w", err)
	}
	return waits, nil
}

// Progress records that an attempt has made progress: failures, losses and outages are counted from zero again. It
// locks the row, so that no other worker can take the attempt over until the transaction ends. The error is ErrLost if
// another worker already has the attempt; then the caller must roll back.
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

// Again ends an attempt that made progress and has more to do, and queues the next one behind all work that waits.
// Failures, losses and outages are counted from zero again. The error is ErrLost if another worker has taken the
// attempt over.
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
		tx.AfterCommit(func(ctx context.Context) { s.enqueue(ctx, next, 0) })
		return done.Error
	})
	if err != nil {
		return fmt.Errorf("queue work %s again: %w", item.Kind, err)
	}
	return nil
}

// Postpone ends an attempt in this transaction, and queues the next one after a delay once it is committed. Failures,
// losses and outages are counted from zero again. The error is ErrLost if another worker has taken the attempt over.
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
	tx.AfterCommit(func(ctx context.Context) { s.enqueue(ctx, next, delay) })
	return nil
}
