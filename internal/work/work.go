// Package work keeps every piece of background work as a row of Postgres. The queue only carries the word that there is
// something to do: a row that is not in the queue, or whose worker died, is found by Due and queued again.
package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/postgres"
)

// Queues of work. Each has workers of its own, so that what fills one never delays the other.
const (
	Interactive = "interactive" // what somebody waits for
	Bulk        = "bulk"        // imports and what follows from them
	Webhooks    = "webhooks"    // what is sent to others, who may be slow
)

// States of a row. A queued row has an attempt that nobody has taken yet.
const (
	Queued  = "queued"
	Running = "running"
	Done    = "done"
	Failed  = "failed"
)

// ErrTaken says that a row is not there to be claimed: somebody else has it, the attempt is an old one, or it is over.
var ErrTaken = errors.New("the work was taken by another worker, or is over")

// ErrLost says that the attempt is no longer ours: its lease ran out and the row was queued again. Nothing may be
// written.
var ErrLost = errors.New("the attempt's lease ran out and the work was given to another worker")

// Item is one piece of work.
type Item struct {
	ID          uuid.UUID
	Kind        string
	Queue       string
	AccountID   uuid.UUID
	UserID      uuid.UUID // as whom it runs
	SubjectID   *uuid.UUID
	State       string
	Attempt     int // numbers the tasks of the row
	MaxAttempts int // so many failures end the work
	Failures    int // attempts that ended with an error of their own
	Losses      int // attempts whose worker died; app_due_work bounds them
	Outages     int // attempts that an outage or the end of a worker cut short; any number of them
	Rank        int // of an account's bulk work that waits, the lower goes first
	RunAfter    time.Time
	ToldAt      *time.Time
	LeaseUntil  *time.Time
	Error       *string // of the last failure
	Input       json.RawMessage
	Result      json.RawMessage
	Waiter      string // the channel of the API process that waits; may be empty
	RequestID   string
	CreatedAt   time.Time
	StartedAt   *time.Time
	FinishedAt  *time.Time

	Interruption *string // the last loss or outage
}

// TableName is what gorm would not guess.
func (Item) TableName() string { return "work" }

// Ref is what the queue carries of an item: ids only.
type Ref struct {
	ID      uuid.UUID
	Kind    string
	Queue   string
	Attempt int
}

// Ref returns the item's present attempt.
func (i Item) Ref() Ref { return Ref{ID: i.ID, Kind: i.Kind, Queue: i.Queue, Attempt: i.Attempt} }

// Queue hands work to workers, after a delay. jobs has it.
type Queue interface {
	Enqueue(ctx context.Context, ref Ref, delay time.Duration) error
}

// Store reads and writes the rows.
type Store struct {
	db    *postgres.DB
	queue Queue
	log   *slog.Logger
}

// NewStore makes the store. Every item is queued after its transaction.
func NewStore(db *postgres.DB, queue Queue, log *slog.Logger) *Store {
	return &Store{db: db, queue: queue, log: log}
}

// addAtOnce is how many rows one statement adds: Postgres takes 65535 parameters.
const addAtOnce = 1000

// Add writes items for the transaction's user and queues them once the transaction is durable; of bulk items, as
// many as have their turn. Kind, Queue, AccountID and MaxAttempts must be set; ID may be, so that somebody can wait
// for it, Rank, and RunAfter of what is to wait. Where the queue cannot be reached, Due and Admit find the rows.
func (s *Store) Add(tx *postgres.Tx, items ...Item) error {
	now := time.Now()
	for i := range items {
		item := &items[i]
		if item.ID == uuid.Nil {
			item.ID = uuid.New()
		}
		if item.Input == nil {
			item.Input = json.RawMessage(`{}`)
		}
		item.UserID, item.State, item.Attempt = tx.UserID(), Queued, 1
		if item.RunAfter.IsZero() {
			item.RunAfter = now
		}
		if item.Queue != Bulk {
			item.ToldAt = &now
		}
	}
	if len(items) == 0 {
		return nil
	}
	if err := store(tx, items); err != nil {
		return fmt.Errorf("add work %s: %w", items[0].Kind, err)
	}
	tx.AfterCommit(func(ctx context.Context) { s.announce(ctx, items) })
	return nil
}

// store puts off a single row until the commit.
func store(tx *postgres.Tx, items []Item) error {
	if len(items) == 1 {
		return tx.Later(func(db *gorm.DB) *gorm.DB { return db.Omit("CreatedAt", "Result").Create(&items[0]) }, nil)
	}
	return tx.Omit("CreatedAt", "Result").CreateInBatches(items, addAtOnce).Error
}

// announce queues items that are durable. Those of bulk work belong to one account as a rule.
func (s *Store) announce(ctx context.Context, items []Item) {
	admitted := uuid.Nil
	for _, item := range items {
		switch {
		case item.Queue != Bulk:
			s.tell(ctx, item.Ref(), time.Until(item.RunAfter))
		case item.AccountID != admitted:
			admitted = item.AccountID
			s.AdmitOf(ctx, admitted)
		}
	}
}

func (s *Store) tell(ctx context.Context, ref Ref, delay time.Duration) {
	if err := s.queue.Enqueue(ctx, ref, delay); err != nil {
		s.log.WarnContext(ctx, "cannot queue work; the sweep will", "work_id", ref.ID, "kind", ref.Kind, "error", err)
	}
}

// Claim takes an attempt for the length of a lease; ErrTaken where it is not to be had. The queries go with it, in
// the same trip, as the user whose work it is; where it is not to be had they find nothing.
func (s *Store) Claim(ctx context.Context, ref Ref, lease time.Duration, queries ...postgres.Query) (Item, error) {
	var claimed []Item
	claim := postgres.Found(s.db, &claimed, func(db *gorm.DB) *gorm.DB {
		return db.Table("app_claim_work(?, ?, make_interval(secs => ?)) AS work", ref.ID, ref.Attempt,
			lease.Seconds()).Find(&[]Item{})
	})
	err := s.db.Read(ctx, postgres.AsUser(uuid.Nil), append([]postgres.Query{claim}, queries...)...)
	if err != nil {
		return Item{}, fmt.Errorf("claim work: %w", err)
	}
	if len(claimed) == 0 {
		return Item{}, ErrTaken
	}
	return claimed[0], nil
}

// Extend prolongs the lease of an attempt that still runs; ErrLost where it was taken away.
func (s *Store) Extend(ctx context.Context, ref Ref, lease time.Duration) error {
	var ours bool
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_extend_work(?, ?, make_interval(secs => ?))", ref.ID, ref.Attempt,
			lease.Seconds()).Scan(&ours).Error
	})
	if err != nil {
		return fmt.Errorf("extend the lease: %w", err)
	}
	if !ours {
		return ErrLost
	}
	return nil
}

// Finish marks the item done before the transaction commits that writes what it was about; where the attempt is no
// longer ours, the transaction ends with ErrLost and nothing is written. The result is kept as JSON; nil for none.
func Finish(tx *postgres.Tx, item Item, result any) error {
	encoded, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("encode the result of work %s: %w", item.Kind, err)
	}
	return tx.Later(func(db *gorm.DB) *gorm.DB {
		return db.Exec(`UPDATE work SET state = 'done', result = ?, finished_at = now(), lease_until = NULL, error = NULL
			WHERE id = ? AND attempt = ? AND state = 'running'`, string(encoded), item.ID, item.Attempt)
	}, func(changed int64, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("finish work %s: %w", item.Kind, err)
		case changed == 0:
			return ErrLost
		}
		return nil
	})
}
