package idempotency

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"gorm.io/gorm"

	"dealflow/internal/postgres"
)

// releaseTimeout bounds what is still done for a key after its request ended.
const releaseTimeout = 5 * time.Second

// Attempt is a request that has its key. It ends with Keep or Release; until then the key stays taken while the process lives.
type Attempt struct {
	store *Store
	key   Key
	ctx   context.Context // of the whole request: what ends it must not see the hook that Context adds
	stop  context.CancelFunc
	alive sync.WaitGroup

	fingerprint func() []byte
	reference   any
	repeatable  bool
}

type contextKey struct{}

// begin keeps the lease until the attempt ends.
func (s *Store) begin(ctx context.Context, key Key) *Attempt {
	a := &Attempt{store: s, key: key, ctx: context.WithoutCancel(ctx)}
	beating, stop := context.WithCancel(a.ctx)
	a.stop = stop
	a.alive.Go(func() { a.beat(beating) })
	return a
}

// beat prolongs the lease. One that cannot be prolonged runs out, and then another request may have the key.
func (a *Attempt) beat(ctx context.Context) {
	ticker := time.NewTicker(a.store.lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = a.write(ctx, map[string]any{"lease_until": gorm.Expr("now() + make_interval(secs => ?)", a.store.lease.Seconds())})
		}
	}
}

// Context gives the context to do in what was asked: its first transaction that writes also writes, before it commits, that the key is
// used up and by which request. From then on the thing and the key stand or fall together. The fingerprint is asked for by then.
func (a *Attempt) Context(ctx context.Context, fingerprint func() []byte) context.Context {
	a.fingerprint = fingerprint
	return postgres.BeforeCommit(context.WithValue(ctx, contextKey{}, a), a.commit)
}

// Remember keeps a reference with the key, if the request has one, from which its answer could be given anew. It is written with the thing itself.
func Remember(ctx context.Context, reference any) {
	if a, found := ctx.Value(contextKey{}).(*Attempt); found {
		a.reference = reference
	}
}

// Repeatable says that what is done in this context leaves nothing behind: were its answer lost, it may be done again.
func Repeatable(ctx context.Context) {
	if a, found := ctx.Value(contextKey{}).(*Attempt); found {
		a.repeatable = true
	}
}

// commit runs at the end of every transaction of the request. Transactions that have written nothing have no id.
func (a *Attempt) commit(tx *postgres.Tx) error {
	if a.repeatable || tx.UserID() != a.key.UserID {
		return nil
	}
	var writes bool
	if err := tx.Raw("SELECT pg_current_xact_id_if_assigned() IS NOT NULL").Scan(&writes).Error; err != nil || !writes {
		return err
	}
	reference, err := json.Marshal(a.reference)
	if err != nil {
		return fmt.Errorf("encode the reference of an idempotency key: %w", err)
	}
	done := where(tx, a.key).Updates(map[string]any{"state": Committed, "fingerprint": a.fingerprint(), "reference": string(reference)})
	if done.Error == nil && done.RowsAffected == 0 {
		return inUse() // we stood still for so long that a repeat took the key over
	}
	return done.Error
}

// Keep ends the attempt with the answer that repeats are to get.
func (a *Attempt) Keep(answer Answer, fingerprint []byte) error {
	a.end()
	ctx, cancel := context.WithTimeout(a.ctx, releaseTimeout)
	defer cancel()
	err := a.write(ctx, map[string]any{
		"state": Answered, "fingerprint": fingerprint, "status": answer.Status, "content_type": answer.ContentType, "body": answer.Body, "lease_until": gorm.Expr("now()"),
	})
	if err != nil {
		return fmt.Errorf("keep the answer of an idempotency key: %w", err)
	}
	return nil
}

// Release ends the attempt without an answer. The key is free again, unless something was committed: then a repeat can only ask what became of it.
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

func (a *Attempt) end() {
	a.stop()
	a.alive.Wait()
}

func (a *Attempt) write(ctx context.Context, values map[string]any) error {
	return a.store.db.As(ctx, a.key.UserID, func(tx *postgres.Tx) error { return where(tx, a.key).Updates(values).Error })
}
