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

// loadAge is how old the counts in a Load may be before they are read again; loadTimeout is the limit for reading them.
const (
	loadAge     = time.Second
	loadTimeout = 5 * time.Second
)

// Load estimates how long new work will wait. While it is used, it counts the rows of work in the background, at most
// once a second, and adds the pieces that Enter has counted since. It is safe for concurrent use, and none of its
// methods blocks. A nil *Load expects no wait.
type Load struct {
	db  *postgres.DB
	log *slog.Logger

	mu      sync.Mutex
	reading bool
	read    time.Time
	known   load
	added   map[uuid.UUID]int // by account: pieces that Enter counted since known was read
	coming  map[uuid.UUID]int // by account: pieces that have a position and are not stored yet
}

// load has the counts of the rows of work, as the database had them at one moment.
type load struct {
	queued  map[string]map[uuid.UUID]int // by queue and account
	open    map[uuid.UUID]int            // by account: interactive pieces, queued or running
	running map[string]int
	seconds float64 // that one analysis takes
}

// QueuePosition is the queue for a new piece of work, and how much work is before it.
type QueuePosition struct {
	Queue string

	account uuid.UUID
	ahead   int // pieces of work before it
}

// NewLoad returns a Load that counts the work of this database. It reads nothing yet.
func NewLoad(db *postgres.DB, log *slog.Logger) *Load {
	return &Load{db: db, log: log, added: map[uuid.UUID]int{}, coming: map[uuid.UUID]int{}}
}

// Enter counts a new piece of work of an account, and returns its queue: Bulk if the account has MaxInteractive pieces
// open already, otherwise Interactive. The caller must call Stored once the piece is stored, or once it is certain that
// it will not be, and should call Ended if it learns that the piece is done.
func (l *Load) Enter(accountID uuid.UUID) QueuePosition {
	if l == nil {
		return QueuePosition{Queue: Interactive}
	}
	l.refresh()
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.known.open[accountID] + l.added[accountID]
	l.added[accountID]++
	l.coming[accountID]++
	if own >= MaxInteractive {
		crowd := l.known.queued[Bulk]
		return QueuePosition{
			Queue: Bulk, account: accountID,
			ahead: (crowd[accountID] + own - l.known.open[accountID]) * max(1, len(crowd)),
		}
	}
	ahead := 0
	for _, count := range l.known.queued[Interactive] {
		ahead += count
	}
	for _, count := range l.added {
		ahead += min(count, MaxInteractive)
	}
	return QueuePosition{Queue: Interactive, account: accountID, ahead: ahead - 1}
}

// Stored must be called once a piece of work that Enter counted for this account is in the database, or will never be.
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

// Ended removes a piece of work that is done from the counts before they are read again. So an account that waits for
// each piece before it sends the next has few open, however many it sends in a second.
func (l *Load) Ended(p QueuePosition) {
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

// Delay estimates how long a piece of work at this position will wait before a worker begins it, from the number of
// running pieces and the present duration of an analysis. It returns 0 if nothing is before the piece, or if the counts
// have not been read yet.
func (l *Load) Delay(p QueuePosition) time.Duration {
	if l == nil || p.ahead <= 0 {
		return 0
	}
	l.refresh()
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Duration(float64(p.ahead) * l.known.seconds / float64(max(1,
		l.known.running[p.Queue])) * float64(time.Second))
}

// refresh begins to read the counts in the background if they are older than loadAge. If that fails, the old ones
// remain.
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

// look reads the counts from the database. It logs an error and returns it.
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
		if row.Queue != nil && found.queued[*row.Queue] == nil { // a queue without analyses
			continue
		}
		found.seconds = max(found.seconds, row.Seconds) // the longest: it shows a machine that has become slow
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
