// Package work keeps every piece of background work as a row of Postgres. The queue in Redis only says that there is
// something to do: Due finds rows that are missing there, or whose worker died, and they are queued again.
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
	"gorm.io/gorm/clause"

	"dealflow/internal/postgres"
)

// Queues of work. Each has its own workers, so that much work in one does not delay another.
const (
	Interactive = "interactive" // work for which somebody waits
	Bulk        = "bulk"        // imports, what follows from them, and what an account has beyond MaxInteractive
	Webhooks    = "webhooks"    // messages to other servers, which may be slow
)

// States of a row. The attempt of a queued row has not been claimed yet.
const (
	Queued  = "queued"
	Running = "running"
	Done    = "done"
	Failed  = "failed"
)

// ErrTaken is the error of a claim of a row that another worker has, that has a later attempt, whose work is over, or
// that does not exist.
var ErrTaken = errors.New("the work was taken by another worker, or is over")

// ErrLost means that this worker must not write anything more: its lease ran out and the row was queued again, the work
// is over, or the user has left the account since Claim (see Finish).
var ErrLost = errors.New("the work was queued again, is over, or its user has left the account")

// Item is one piece of work.
type Item struct {
	ID          uuid.UUID
	Kind        string
	Queue       string
	AccountID   uuid.UUID
	UserID      uuid.UUID // the user as whom it runs; Claim replaces one who has left the account
	SubjectID   *uuid.UUID
	State       string
	Attempt     int // number of the present attempt; each has a task of its own in the queue
	MaxAttempts int // after this many failures the work has failed for good
	Failures    int // attempts that ended with an error of their own
	Losses      int // attempts whose worker died; app_due_work bounds their number
	Outages     int // attempts that an outage cut short; their number is not bounded
	Rank        int // of the waiting bulk work of an account, the lowest rank goes first
	RunAfter    time.Time
	ToldAt      *time.Time // when the present attempt was put into the queue; nil: it was not yet
	LeaseUntil  *time.Time
	Error       *string // of the last failure
	Input       json.RawMessage
	Result      json.RawMessage
	Waiter      string // channel of the API process that waits for the result; "": none does
	RequestID   string
	CreatedAt   time.Time
	StartedAt   *time.Time
	FinishedAt  *time.Time

	Interruption *string // why the last attempt was lost or cut short
}

// TableName returns the name of the table, which gorm would not guess.
func (Item) TableName() string { return "work" }

// Ref is the part of an item that a task of the queue carries.
type Ref struct {
	ID      uuid.UUID
	Kind    string
	Queue   string
	Attempt int
}

// Ref returns the Ref of the item's present attempt.
func (i Item) Ref() Ref { return Ref{ID: i.ID, Kind: i.Kind, Queue: i.Queue, Attempt: i.Attempt} }

// Queue queues an attempt for workers, which begin it after a delay, or at once if the delay is not positive. Package
// jobs implements it. It must be safe for concurrent use.
type Queue interface {
	Enqueue(ctx context.Context, ref Ref, delay time.Duration) error
}

// Store reads and writes the rows of work. It is safe for concurrent use.
type Store struct {
	db    *postgres.DB
	queue Queue
	log   *slog.Logger
}

// NewStore returns a Store, which puts items into queue once their transaction has committed. It logs failures to do
// so.
func NewStore(db *postgres.DB, queue Queue, log *slog.Logger) *Store {
	return &Store{db: db, queue: queue, log: log}
}

// Reach returns an error if the database does not answer.
func (s *Store) Reach(ctx context.Context) error { return s.db.Reach(ctx) }

// addAtOnce is how many rows one statement adds: Postgres accepts 65535 parameters in one.
const addAtOnce = 1000

// Add stores items of the transaction's user, and puts them into the queue once the caller has committed; of bulk items
// no more than Admitted of each account. If the queue cannot be reached, Due and Admit find the rows later.
//
// Kind, Queue, AccountID and MaxAttempts must be set. The caller may set ID, so that somebody can wait for the item,
// RunAfter for work that must begin later, and SubjectID, Rank, Input, Waiter and RequestID. Add sets UserID, State,
// Attempt and ToldAt. The caller must not change the elements of items before the transaction ends.
func (s *Store) Add(tx *postgres.Tx, items ...Item) error {
	now := time.Now()
	for i := range items {
		item := &items[i]
		if item.ID == uuid.Nil {
			item.ID = postgres.NewID()
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

// store adds rows. A single row is sent later, with other statements, so that its error may be returned only by the
// commit: see postgres.Tx.Later. Several rows are sent at once.
func store(tx *postgres.Tx, items []Item) error {
	if len(items) == 1 {
		return tx.Later(func(db *gorm.DB) *gorm.DB { return db.Omit("CreatedAt", "Result").Create(&items[0]) }, nil)
	}
	return tx.Omit("CreatedAt", "Result").CreateInBatches(items, addAtOnce).Error
}

// announce puts committed items into the queue, bulk items by AdmitOf. Bulk items of one account must be next to each
// other, or AdmitOf is called more often than needed.
func (s *Store) announce(ctx context.Context, items []Item) {
	admitted := uuid.Nil
	for _, item := range items {
		switch {
		case item.Queue != Bulk:
			s.enqueue(ctx, item.Ref(), time.Until(item.RunAfter))
		case item.AccountID != admitted:
			admitted = item.AccountID
			s.AdmitOf(ctx, admitted)
		}
	}
}

func (s *Store) enqueue(ctx context.Context, ref Ref, delay time.Duration) {
	if err := s.queue.Enqueue(ctx, ref, delay); err != nil {
		s.log.WarnContext(ctx, "work could not be queued; the sweep will queue it", "work_id", ref.ID, "kind", ref.Kind,
			"error", err)
	}
}

// Claim claims the attempt of a row for the length of a lease. The error is ErrTaken if that is not possible. If the
// user of the item has left the account, the owner who joined the account first becomes its user. The queries are sent
// in the same round trip and run as the item's user, and may use ClaimedAccount and ClaimedSubject; if the attempt
// cannot be claimed they find nothing.
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

// ClaimedAccount returns the account of the claimed work, as an SQL expression for the queries of Claim.
func ClaimedAccount() clause.Expr { return claimedID("app.work_account") }

// ClaimedSubject returns the subject of the claimed work, as an SQL expression for the queries of Claim.
func ClaimedSubject() clause.Expr { return claimedID("app.work_subject") }

// claimedID returns an SQL expression for an id that app_claim_work has set, or NULL. Reading the row again would cost
// each query more than the claim.
func claimedID(setting string) clause.Expr {
	return gorm.Expr("NULLIF(current_setting('" + setting + "', true), '')::uuid")
}

// Extend makes the lease of a running attempt end after the time lease from now. The error is ErrLost if another worker
// has taken the attempt over.
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

// Finish marks the item as done, in the transaction that writes the result of the work. If another worker has taken the
// attempt over, or the user has left the account since Claim, the transaction fails with ErrLost, at its next statement
// or when it is committed, and nothing is written: a user who has left sees nothing of the account, so that everything
// in it would seem to be deleted. The result is stored as JSON, nil as null.
func Finish(tx *postgres.Tx, item Item, result any) error {
	encoded, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("encode the result of work %s: %w", item.Kind, err)
	}
	return tx.Later(func(db *gorm.DB) *gorm.DB {
		return db.Exec(`UPDATE work SET state = 'done', result = ?, finished_at = now(), lease_until = NULL, error = NULL
			WHERE id = ? AND attempt = ? AND state = 'running' AND account_id = ANY ((SELECT app_accounts())::uuid[])`,
			string(encoded), item.ID, item.Attempt)
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
