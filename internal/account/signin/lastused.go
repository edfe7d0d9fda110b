package signin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/postgres"
)

// For how long another use of the same session or key is not recorded, how often the records are written, and how many
// are kept in memory.
const (
	noteInterval  = time.Minute
	flushInterval = 5 * time.Second
	lastFlush     = 2 * time.Second // how long the last write may take
	maxNoted      = 1 << 16
)

// uses collects in memory which sessions and keys were used, and for which users a wrong password or code was given, so
// that requests need not write this to the database. WriteUses writes it.
type uses struct {
	mu      sync.Mutex
	noted   map[use]time.Time
	pending pendingUses
	kept    bool // writing the waiting notes has failed once, and not because of an outage
}

type pendingUses struct {
	Sessions []use `json:"sessions,omitempty"`
	Keys     []use `json:"keys,omitempty"`
	Refused  []use `json:"refused,omitempty"` // users for whom a wrong password or code was given
}

// use is a session or key that was used from an IP address, or a user for whom a wrong password or code was given from
// that address.
type use struct {
	ID      uuid.UUID  `json:"id"`
	Address string     `json:"address"`
	At      *time.Time `json:"at,omitempty"` // of a refusal
}

// Used records that a caller sent a request from an IP address, usually at most once a minute for each session or key
// and address. After maxNoted different ones it forgets which it has recorded, and may record them again. WriteUses
// writes the records to the database; only then is the caller's session prolonged by Options.SessionIdle.
func (s *Service) Used(caller account.Caller, address string) {
	u, now := &s.uses, time.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	into, id := &u.pending.Sessions, caller.SessionID
	if caller.ByKey() {
		into, id = &u.pending.Keys, caller.KeyID
	}
	seen := use{ID: id, Address: address}
	if now.Sub(u.noted[seen]) < noteInterval {
		return
	}
	if u.noted == nil || len(u.noted) >= maxNoted {
		u.noted = map[use]time.Time{}
	}
	u.noted[seen] = now
	*into = append(*into, seen)
}

// refused records a wrong password or code of a user for the audit log. It drops the record if user is uuid.Nil, or if
// maxNoted records wait to be written. Only WriteUses writes them, so that a refusal takes as long for an address that
// nobody has.
func (s *Service) refused(ctx context.Context, user uuid.UUID) {
	now, u := time.Now(), &s.uses
	u.mu.Lock()
	defer u.mu.Unlock()
	if user != uuid.Nil && len(u.pending.Refused) < maxNoted {
		u.pending.Refused = append(u.pending.Refused, use{ID: user, Address: postgres.OriginOf(ctx).Address, At: &now})
	}
}

// KeepUses calls WriteUses every few seconds until ctx ends, and then a last time before it returns. The last call has
// a context of its own, which ends after lastFlush. KeepUses calls failed with each error of WriteUses, except that of
// a regular call during which ctx has ended.
func (s *Service) KeepUses(ctx context.Context, failed func(error)) {
	ticker := time.NewTicker(flushInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush)
			defer cancel()
			if err := s.WriteUses(last); err != nil {
				failed(err)
			}
			return
		case <-ticker.C:
		}
		if err := s.WriteUses(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
	}
}

// WriteUses writes to the database what Used and refused have recorded, and lets the sessions that were used last for
// another Options.SessionIdle from now. If that fails, it keeps the records for the next call, at most maxNoted of each
// kind. It drops them if it is not known whether they were written, and after a second error in a row that is neither
// the end of ctx nor an outage of the database, since the database may refuse one of the records.
func (s *Service) WriteUses(ctx context.Context) error {
	s.uses.mu.Lock()
	pending := s.uses.pending
	s.uses.pending = pendingUses{}
	s.uses.mu.Unlock()
	if len(pending.Sessions)+len(pending.Keys)+len(pending.Refused) == 0 {
		return nil
	}
	encoded, err := json.Marshal(pending)
	if err != nil {
		return fmt.Errorf("encode the uses of sessions and keys: %w", err)
	}
	err = s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Exec("SELECT app_note_uses(?, make_interval(secs => ?))", string(encoded), s.idle.Seconds()).Error
	})
	s.uses.tried(pending, err, ctx.Err() != nil || postgres.IsUnreachable(err))
	if err != nil {
		return fmt.Errorf("note the uses of sessions and keys: %w", err)
	}
	return nil
}

// tried is called with the result of writing notes. It puts the notes back if err is an error after which WriteUses
// keeps them. passes must be true if the error is the end of a context or an outage, and does not concern the notes
// themselves.
func (u *uses) tried(notes pendingUses, err error, passes bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if postgres.Undone(err) && (passes || !u.kept) {
		u.putBack(notes)
	}
	u.kept = err != nil && u.kept == passes // an error for which passes is true does not change it, another one toggles it
}

// putBack adds notes that could not be written to those that wait, at most maxNoted of each kind. It keeps only one
// note for each use of a session or key, so that a long outage needs no more memory than the sessions and keys used in
// it. The caller must hold u.mu.
func (u *uses) putBack(left pendingUses) {
	u.pending.Sessions = lastUses(left.Sessions, u.pending.Sessions)
	u.pending.Keys = lastUses(left.Keys, u.pending.Keys)
	refused := slices.Concat(left.Refused, u.pending.Refused)
	u.pending.Refused = refused[:min(len(refused), maxNoted)]
}

// lastUses returns the uses of older and newer in their order. It keeps the last one of equal uses, and at most the
// last maxNoted.
func lastUses(older, newer []use) []use {
	all, seen := slices.Concat(older, newer), map[use]bool{}
	kept := len(all)
	for _, u := range slices.Backward(all) {
		if !seen[u] && len(seen) < maxNoted {
			seen[u] = true
			kept--
			all[kept] = u
		}
	}
	return all[kept:]
}
