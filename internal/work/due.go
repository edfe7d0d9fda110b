package work

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/postgres"
)

// Found is an item that Due found. If Ended is false, the caller must put its attempt into the queue. If Ended is true,
// the item has just failed for good, since its workers died too often, and the caller must notify the process that
// waits for it on the channel Waiter; "" means that none waits.
type Found struct {
	Ref

	Ended  bool
	Waiter string
}

// Due returns items of all accounts that are due and missing in the queue: they were put there longer than `quiet` ago,
// or never, as after a Redis flush, or a crash between commit and enqueue. It leaves bulk items that were never put
// there to Admit. Before that it queues items whose worker died for another attempt, or, the 20th time that this
// happens to an item since its last progress, marks it as failed and returns it with Ended. Each of these steps handles
// up to `most` items.
func (s *Store) Due(ctx context.Context, quiet time.Duration, most int) ([]Found, error) {
	var rows []struct {
		ID          uuid.UUID
		Kind, Queue string
		Attempt     int
		Settled     bool
		Waiter      string
	}
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_due_work(make_interval(secs => ?), ?)", quiet.Seconds(), most).Scan(&rows).Error
	})
	if err != nil {
		return nil, fmt.Errorf("look for work that is due: %w", err)
	}
	found := make([]Found, len(rows))
	for i, r := range rows {
		found[i] = Found{
			Ref: Ref{ID: r.ID, Kind: r.Kind, Queue: r.Queue, Attempt: r.Attempt}, Ended: r.Settled,
			Waiter: r.Waiter,
		}
	}
	return found, nil
}

// Renew increases the attempt number of a queued item, so that Due, or Admit for a bulk item, puts it into the queue
// again with a new task. It is for an item whose task left the queue before any worker claimed the row. It does nothing
// if ref is not the present attempt.
func (s *Store) Renew(ctx context.Context, ref Ref) error {
	return s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Exec("SELECT app_renew_work(?, ?)", ref.ID, ref.Attempt).Error
	})
}

// Ended returns those of the ids, UUIDs in text form, whose work is done or has failed for good. It does not check
// whose work it is. Rows that do not exist yet have not ended. It is Options.Ended of wakeup.Hub.
func (s *Store) Ended(ctx context.Context, ids []string) ([]string, error) {
	var settled []string
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_settled_work(string_to_array(?, ',')::uuid[])", strings.Join(ids, ",")).Scan(&settled).Error
	})
	if err != nil {
		return nil, fmt.Errorf("ask which work is over: %w", err)
	}
	return settled, nil
}

// Forget deletes items of all accounts that have been done for longer than done, or have been failed for longer than
// failed, and returns how many.
func (s *Store) Forget(ctx context.Context, done, failed time.Duration) (int64, error) {
	var gone int64
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_forget_work(make_interval(secs => ?), make_interval(secs => ?))", done.Seconds(),
			failed.Seconds()).Scan(&gone).Error
	})
	if err != nil {
		return 0, fmt.Errorf("forget old work: %w", err)
	}
	return gone, nil
}

// Get returns an item of the transaction's user. The error is gorm.ErrRecordNotFound if they have no such item.
func Get(tx *postgres.Tx, id uuid.UUID) (Item, error) {
	var item Item
	err := tx.First(&item, "id = ?", id).Error
	return item, err
}

// Query returns a query that reads an item of the user as whom it runs into items. items remains empty if they have no
// such item.
func Query(db *postgres.DB, items *[]Item, id uuid.UUID) postgres.Query {
	return postgres.Found(db, items, func(db *gorm.DB) *gorm.DB { return db.Where("id = ?", id).Find(&[]Item{}) })
}

// Drop deletes an item of the transaction's user. It does nothing if the user has no such item.
func Drop(tx *postgres.Tx, id uuid.UUID) error {
	return tx.Delete(&Item{}, "id = ?", id).Error
}
