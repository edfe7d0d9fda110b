package work

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// Crowd is how many pieces of interactive work one account may have open. What is more goes to the bulk queue, in
// which accounts take turns, so that somebody who sends hundreds at once delays nobody else by more than these.
const Crowd = 16

// loadAge is how old the known load may be before it is read again, and loadTimeout bounds the reading.
const (
	loadAge     = time.Second
	loadTimeout = 5 * time.Second
)

// Load knows about how long new work will wait. It reads the rows in the background, once a second while somebody
// asks, and counts what this process adds in between. It is safe for concurrent use. A nil *Load knows nothing.
type Load struct {
	db  *postgres.DB
	log *slog.Logger

	mu      sync.Mutex
	reading bool
	read    time.Time
	known   load
	added   map[uuid.UUID]int // since known was read
	coming  map[uuid.UUID]int // has a place and is not stored yet
}

// load is what the rows say.
type load struct {
	queued  map[string]map[uuid.UUID]int // by queue and account
	open    map[uuid.UUID]int            // interactive, running too
	running map[string]int
	seconds float64 // of one analysis
}

// Place is where new work is put.
type Place struct {
	Queue string

	account uuid.UUID
	ahead   int // pieces of work that are done before
}

// NewLoad returns a load that is read from this database.
func NewLoad(db *postgres.DB, log *slog.Logger) *Load {
	return &Load{db: db, log: log, added: map[uuid.UUID]int{}, coming: map[uuid.UUID]int{}}
}

// Place returns where to put a new piece of work of an account, and counts it. Stored must be called once it was put
// there, or will not be.
func (l *Load) Place(accountID uuid.UUID) Place {
	if l == nil {
		return Place{Queue: Interactive}
	}
	l.refresh()
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.known.open[accountID] + l.added[accountID]
	l.added[accountID]++
	l.coming[accountID]++
	if own >= Crowd {
		crowd := l.known.queued[Bulk]
		return Place{Queue: Bulk, account: accountID, ahead: (crowd[accountID] + own - l.known.open[accountID]) * max(1,
			len(crowd))}
	}
	ahead := 0
	for _, count := range l.known.queued[Interactive] {
		ahead += count
	}
	for _, count := range l.added {
		ahead += min(count, Crowd)
	}
	return Place{Queue: Interactive, account: accountID, ahead: ahead - 1}
}

// Stored ends what Place began.
func (l *Load) Stored(accountID uuid.UUID) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.coming[accountID]--; l.coming[accountID] == 0 {
		delete(l.coming, accountID)
	}
}

// Ended counts work no longer that is over: an account that waits for each of its pieces has few open, however many
// it has in a second.
func (l *Load) Ended(p Place) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.added[p.account] > 0:
		l.added[p.account]--
	case l.known.open[p.account] > 0:
		l.known.open[p.account]--
	}
}

// Delay returns how long work that was put there waits before somebody begins with it, by what is known now of the
// pace of the workers.
func (l *Load) Delay(p Place) time.Duration {
	if l == nil || p.ahead <= 0 {
		return 0
	}
	l.refresh()
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Duration(float64(p.ahead) * l.known.seconds / float64(max(1,
		l.known.running[p.Queue])) * float64(time.Second))
}

// refresh reads the load in the background where it is old.
func (l *Load) refresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reading || time.Since(l.read) < loadAge {
		return
	}
	l.reading = true
	go func() {
		found, err := l.look()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.reading, l.read = false, time.Now()
		if err == nil {
			l.known, l.added = found, maps.Clone(l.coming)
		}
	}()
}

// look reads the rows.
func (l *Load) look() (load, error) {
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	defer cancel()
	var rows []struct {
		AccountID       *uuid.UUID
		Queue           *string
		Queued, Running int
		Seconds         float64
	}
	err := l.db.AsNobody(ctx,
		func(tx *postgres.Tx) error { return tx.Raw("SELECT * FROM app_work_load()").Scan(&rows).Error })
	if err != nil {
		l.log.WarnContext(ctx, "how much work waits could not be read; creations wait for the workers as if there were "+
			"little", "error", err)
		return load{}, err
	}
	found := load{
		queued: map[string]map[uuid.UUID]int{Interactive: {}, Bulk: {}}, open: map[uuid.UUID]int{},
		running: map[string]int{},
	}
	for _, row := range rows {
		if row.Queue != nil && found.queued[*row.Queue] == nil { // of a queue in which no analysis waits
			continue
		}
		found.seconds = max(found.seconds, row.Seconds) // of a machine that is slow now, what runs knows first
		if row.AccountID == nil || row.Queue == nil {
			continue
		}
		if row.Queued > 0 {
			found.queued[*row.Queue][*row.AccountID] = row.Queued
		}
		found.running[*row.Queue] += row.Running
		if *row.Queue == Interactive {
			found.open[*row.AccountID] = row.Queued + row.Running
		}
	}
	return found, nil
}
