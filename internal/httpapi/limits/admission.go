package limits

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
)

// How many uploads are received and stored at once. With the default settings, fewer are stored at once than there are
// connections to the database, so that they leave some for reads.
const (
	defaultStoring   = 15
	receivingAtOnce  = 512             // uploads whose bodies are being received
	receivingOfUser  = 128             // of them, those of one user or of one integration
	storingWait      = 5 * time.Second // for a slot
	waitingForEach   = 8               // uploads that may wait for each slot
	overloadedNotice = "too much is being stored just now"
)

// Admission limits how many uploads are received and stored at once. When a limit is reached, it refuses an upload
// instead of letting all of them wait. It is safe for concurrent use.
type Admission struct {
	slots   chan struct{}
	waiting atomic.Int64

	mu        sync.Mutex
	receiving int
	ofUser    map[uuid.UUID]int
}

// NewAdmission returns an Admission that lets at most slots uploads be stored at once; 15 if slots is less than 1.
func NewAdmission(slots int) *Admission {
	if slots < 1 {
		slots = defaultStoring
	}
	return &Admission{slots: make(chan struct{}, slots), ofUser: map[uuid.UUID]int{}}
}

// Enter admits an upload before its body is read. user is the id of the user who sends it, or of the integration to
// which it is sent. The caller must call leave once, after the body was read. The error is Unavailable with the code
// "overloaded" if receivingAtOnce uploads are being received, or receivingOfUser of this user, or if waitingForEach
// uploads wait for each slot.
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

// Store waits for a slot in which an upload may be stored. The caller must call done once, to free the slot. The error
// is Unavailable with the code "overloaded" if no slot becomes free within storingWait, or ctx.Err() if ctx ends first.
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
