package limits

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
)

// What may come in at once. The slots of storing are fewer than the connections to the database, so that reads always
// find one.
const (
	defaultStoring   = 15
	receivingAtOnce  = 512             // uploads whose bodies come
	receivingOfUser  = 128             // or of an integration
	storingWait      = 5 * time.Second // for a slot
	waitingForEach   = 8               // uploads that may wait for each slot
	overloadedNotice = "too much is being stored just now"
)

// Admission bounds what is received and stored at once, so that a machine that is too busy says so early instead of
// making everybody wait.
type Admission struct {
	slots   chan struct{}
	waiting atomic.Int64

	mu        sync.Mutex
	receiving int
	ofUser    map[uuid.UUID]int
}

// NewAdmission returns an admission with so many slots to store in; 15 when 0.
func NewAdmission(slots int) *Admission {
	if slots < 1 {
		slots = defaultStoring
	}
	return &Admission{slots: make(chan struct{}, slots), ofUser: map[uuid.UUID]int{}}
}

// Enter admits an upload before its body is read; leave must be called once when it has been read. Unavailable with
// the code overloaded where too much comes in, of this user or of all, or too many wait to be stored.
func (a *Admission) Enter(user uuid.UUID) (leave func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.receiving >= receivingAtOnce || a.ofUser[user] >= receivingOfUser ||
		a.waiting.Load() >= int64(cap(a.slots)*waitingForEach) {
		return nil, overloaded()
	}
	a.receiving++
	a.ofUser[user]++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.receiving--
		if a.ofUser[user]--; a.ofUser[user] == 0 {
			delete(a.ofUser, user)
		}
	}, nil
}

// Store waits for a slot to store in; done, which must be called once, returns it. Unavailable with the code
// overloaded where none came free in time, or the context's error.
func (a *Admission) Store(ctx context.Context) (done func(), err error) {
	done = func() { <-a.slots }
	select {
	case a.slots <- struct{}{}:
		return done, nil
	default:
	}
	a.waiting.Add(1)
	defer a.waiting.Add(-1)
	long := time.NewTimer(storingWait)
	defer long.Stop()
	select {
	case a.slots <- struct{}{}:
		return done, nil
	case <-long.C:
		return nil, overloaded()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func overloaded() error {
	return fault.New(fault.Unavailable, "overloaded", fault.Detail{Field: "service", Message: overloadedNotice})
}
