package idempotency

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"time"

	"gorm.io/gorm"

	"dealflow/internal/postgres"
)

// releaseTimeout bounds each write to a key after its request has ended, and releasePause is the time between two
// attempts of ReleaseLater.
const (
	releaseTimeout = 5 * time.Second
	releasePause   = 200 * time.Millisecond
)

// Attempt is a request that has taken its key. It ends with Keep, Release, ReleaseLater, or a call of Answered that
// returns true. Until then the Attempt prolongs its lease of the key. If it cannot do so before the lease runs out,
// another request may take the key.
type Attempt struct {
	store *Store
	key   Key
	ctx   context.Context // of the request, without its end and without the hook that Context adds
	stop  context.CancelFunc
	alive sync.WaitGroup

	fingerprint func() []byte
	reference   any
	onMade      func(thing any) (Kept, error)
	repeatable  bool
	answered    bool // by the transaction that made the thing
}

// Kept is what a repeat of a request is answered with: the stored Answer or, if that is nil, an answer built again from
// the Reference.
type Kept struct {
	Answer    *Answer
	Reference any
}

type contextKey struct{}

// begin returns the attempt of a request that has taken key, and starts prolonging its lease until the attempt ends.
func (s *Store) begin(ctx context.Context, key Key) *Attempt {
	a := &Attempt{store: s, key: key, ctx: context.WithoutCancel(ctx)}
	beating, stop := context.WithCancel(a.ctx)
	a.stop = stop
	a.alive.Go(func() { a.beat(beating) })
	return a
}

// beat prolongs the lease three times in each lease until ctx ends. It ignores errors: a lease that cannot be prolonged
// runs out, and then another request may take the key.
func (a *Attempt) beat(ctx context.Context) {
	ticker := time.NewTicker(a.store.lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = a.write(ctx, map[string]any{
				"lease_until": gorm.Expr("now() + make_interval(secs => ?)", a.store.lease.Seconds()),
			})
		}
	}
}

// Context returns the context in which the request must be carried out. A transaction in it that writes as the user of
// the key, or that calls postgres.Tx.Made, also marks the key as used: either both are committed or neither. It calls
// fingerprint then, which must know the whole request by that time. It fails with Conflict if another request has taken
// the key. Transactions are not marked if Repeatable was called, or after one of them has stored an answer.
func (a *Attempt) Context(ctx context.Context, fingerprint func() []byte) context.Context {
	a.fingerprint = fingerprint
	return postgres.BeforeCommit(context.WithValue(ctx, contextKey{}, a), a.commit)
}

// Without returns a context in which transactions do not mark the key as used, and Remember, OnMade and Repeatable do
// nothing. It is for what a request does after it has created its thing.
func Without(ctx context.Context) context.Context {
	return postgres.BeforeCommit(context.WithValue(ctx, contextKey{}, nil), nil)
}

// Remember keeps a reference, which must have a JSON form, with the key of the request. It does nothing if the request
// has no key. The next transaction that marks the key stores the reference, unless it calls the function of OnMade,
// whose Kept replaces it. If the answer is lost, it is built again from the reference.
func Remember(ctx context.Context, reference any) {
	if a, found := ctx.Value(contextKey{}).(*Attempt); found {
		a.reference = reference
	}
}

// OnMade sets the function that returns what to keep with the key of the request. A transaction that called
// postgres.Tx.Made calls the function with that thing before it commits, and commits what it returns, so that a repeat
// gets the whole answer even if the first answer was lost. An error of the function rolls the transaction back. OnMade
// does nothing if the request has no key.
func OnMade(ctx context.Context, keep func(thing any) (Kept, error)) {
	if a, found := ctx.Value(contextKey{}).(*Attempt); found {
		a.onMade = keep
	}
}

// Repeatable marks a request that leaves nothing stored, such as a dry run: if its answer is lost, it may be carried
// out again. It does nothing if the request has no key.
func Repeatable(ctx context.Context) {
	if a, found := ctx.Value(contextKey{}).(*Attempt); found {
		a.repeatable = true
	}
}

// commit runs before a transaction of the request commits, and marks the key if the transaction carries out the
// request. It does nothing for a repeatable request, or if the answer is stored already. An error rolls the transaction
// back: that of the function that OnMade set, or that of mark.
func (a *Attempt) commit(tx *postgres.Tx) error {
	if a.repeatable || a.answered {
		return nil
	}
	if writes, err := a.writes(tx); err != nil || !writes {
		return err
	}
	kept := Kept{Reference: a.reference}
	if thing := tx.Thing(); thing != nil && a.onMade != nil {
		var err error
		if kept, err = a.onMade(thing); err != nil {
			return err
		}
	}
	return a.mark(tx, kept)
}

// writes reports whether the transaction carries out the request: it called Made, or wrote anything as the user whose
// key it is. Postgres assigns a transaction its id when it first writes.
func (a *Attempt) writes(tx *postgres.Tx) (writes bool, err error) {
	if tx.Thing() != nil {
		return true, nil
	}
	if tx.UserID() != a.key.UserID {
		return false, nil
	}
	err = tx.Raw("SELECT pg_current_xact_id_if_assigned() IS NOT NULL").Scan(&writes).Error
	return writes, err
}

// mark stores that the key is used, the fingerprint of the request, and what a repeat is answered with. It must be the
// last step of the transaction, which from then on runs as the user of the key. The error is Conflict if the lease ran
// out and a repeat has taken the key.
func (a *Attempt) mark(tx *postgres.Tx, kept Kept) error {
	reference, err := json.Marshal(kept.Reference)
	if err != nil {
		return fmt.Errorf("encode the reference of an idempotency key: %w", err)
	}
	columns := map[string]any{"state": Committed, "fingerprint": a.fingerprint(), "reference": string(reference)}
	if kept.Answer != nil {
		maps.Copy(columns, kept.Answer.columns())
	}
	if tx.UserID() != a.key.UserID { // it ran as another user, and has nothing left to write but the key
		if err := tx.Exec("SELECT set_config('app.user_id', ?, true)", a.key.UserID.String()).Error; err != nil {
			return fmt.Errorf("become the user of an idempotency key: %w", err)
		}
	}
	done := where(tx, a.key).Updates(columns)
	if done.Error == nil && done.RowsAffected == 0 {
		return inUse() // the lease ran out, and a repeat has taken the key
	}
	tx.AfterCommit(func(context.Context) { a.answered = kept.Answer != nil })
	return done.Error
}

// columns returns the columns of the key's row for an answered request: the answer, the state, and the lease, which
// ends now.
func (a *Answer) columns() map[string]any {
	return map[string]any{
		"state": Answered, "status": a.Status, "content_type": a.ContentType, "body": a.Body,
		"lease_until": gorm.Expr("now()"),
	}
}

// Answered reports whether a transaction of the request has stored the answer. If so, Answered ends the attempt.
func (a *Attempt) Answered() bool {
	if a.answered {
		a.end()
	}
	return a.answered
}

// Keep ends the attempt and stores the answer for repeats, with the fingerprint of the request. If another request has
// taken the key meanwhile, Keep stores nothing and returns nil.
func (a *Attempt) Keep(answer Answer, fingerprint []byte) error {
	a.end()
	ctx, cancel := context.WithTimeout(a.ctx, releaseTimeout)
	defer cancel()
	columns := answer.columns()
	columns["fingerprint"] = fingerprint
	if err := a.write(ctx, columns); err != nil {
		return fmt.Errorf("keep the answer of an idempotency key: %w", err)
	}
	return nil
}

// Release ends the attempt without an answer. If nothing was committed, the key is deleted and can be used again.
// Otherwise the lease ends, and a repeat is not carried out again: its answer is built again. If another request has
// taken the key meanwhile, Release changes nothing.
func (a *Attempt) Release() error {
	a.end()
	ctx, cancel := context.WithTimeout(a.ctx, releaseTimeout)
	defer cancel()
	err := a.store.db.As(ctx, a.key.UserID, func(tx *postgres.Tx) error {
		if err := where(tx, a.key).Where("state = ?", Running).Delete(&Key{}).Error; err != nil {
			return err
		}
		return where(tx, a.key).Updates(map[string]any{"lease_until": gorm.Expr("now()")}).Error
	})
	if err != nil {
		return fmt.Errorf("release an idempotency key: %w", err)
	}
	return nil
}

// ReleaseLater is Release for a request that may or may not have committed something. It returns as soon as the lease
// is no longer prolonged. In the background it calls Release until one call succeeds, but at most for the duration of
// one lease.
func (a *Attempt) ReleaseLater() {
	a.end()
	go func() {
		for until := time.Now().Add(a.store.lease); time.Now().Before(until); time.Sleep(releasePause) {
			if a.Release() == nil {
				return
			}
		}
	}()
}

func (a *Attempt) end() {
	a.stop()
	a.alive.Wait()
}

func (a *Attempt) write(ctx context.Context, values map[string]any) error {
	return a.store.db.As(ctx, a.key.UserID, func(tx *postgres.Tx) error { return where(tx, a.key).Updates(values).Error })
}
