// Package watch notifies clients of a process when the things that they watch change. It looks for changes with one
// query for all clients, however many there are.
package watch

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// interval is how often a process looks for changes of what its clients watch, all with one query.
const interval = 400 * time.Millisecond

// Versions returns the versions of things by their ids; it leaves out things that do not exist. A version is any text
// that changes when its thing changes.
type Versions func(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)

// Watcher notifies those in this process who watch a thing when the thing changes. It is safe for concurrent use.
type Watcher struct {
	what     string
	versions Versions
	log      *slog.Logger

	mu       sync.Mutex
	watchers map[uuid.UUID]map[*Watch]struct{}
}

// Watch notifies one client of the changes of one thing.
type Watch struct {
	watcher *Watcher
	id      uuid.UUID
	changed chan struct{}
	looked  bool   // the version is known
	version string // "" where the thing is gone
}

// New returns a watcher of things. what is their name in the log. It notifies nobody before Run is called.
func New(what string, versions Versions, log *slog.Logger) *Watcher {
	return &Watcher{
		what: what, versions: versions, log: log, watchers: map[uuid.UUID]map[*Watch]struct{}{},
	}
}

// Watch begins to watch a thing. It does not check whether the client may see the thing: the caller must. The caller
// must close the Watch.
func (w *Watcher) Watch(id uuid.UUID) *Watch {
	one := &Watch{watcher: w, id: id, changed: make(chan struct{}, 1)}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watchers[id] == nil {
		w.watchers[id] = map[*Watch]struct{}{}
	}
	w.watchers[id][one] = struct{}{}
	return one
}

// Changed returns a channel that gets a value when the thing has changed or is gone, unless a value is still in it. The
// first look at the thing always sends a value: the thing may have changed before it was watched.
func (w *Watch) Changed() <-chan struct{} { return w.changed }

// Version returns the version of the thing at the last value of Changed. It is "" before the first value, and when the
// thing is gone.
func (w *Watch) Version() string {
	w.watcher.mu.Lock()
	defer w.watcher.mu.Unlock()
	return w.version
}

// Close ends the watching. It may be called again.
func (w *Watch) Close() {
	w.watcher.mu.Lock()
	defer w.watcher.mu.Unlock()
	others := w.watcher.watchers[w.id]
	delete(others, w)
	if len(others) == 0 {
		delete(w.watcher.watchers, w.id)
	}
}

// Version returns the present version of a thing, or "" if there is no such thing.
func (w *Watcher) Version(ctx context.Context, id uuid.UUID) (string, error) {
	found, err := w.versions(ctx, []uuid.UUID{id})
	return found[id], err
}

// Run looks for changes every interval until ctx ends. It logs the first of several failures in a row; watchers get no
// notice until a look succeeds.
func (w *Watcher) Run(ctx context.Context) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for failing := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := w.look(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			w.log.ErrorContext(ctx, "changes could not be read; clients are notified later", "of", w.what, "error", err)
		}
		failing = err != nil
	}
}

func (w *Watcher) look(ctx context.Context) error {
	ids := w.ids()
	if len(ids) == 0 {
		return nil
	}
	found, err := w.versions(ctx, ids)
	if err != nil {
		return fmt.Errorf("look for changes of %s: %w", w.what, err)
	}
	w.notify(ids, found)
	return nil
}

func (w *Watcher) ids() []uuid.UUID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.watchers))
}

// notify notifies those who watch one of the things with these ids if found has another version than they know. Those
// who began to watch another thing during the look wait for the next one.
func (w *Watcher) notify(ids []uuid.UUID, found map[uuid.UUID]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		for one := range w.watchers[id] {
			if one.looked && one.version == found[id] {
				continue
			}
			one.looked, one.version = true, found[id]
			select {
			case one.changed <- struct{}{}:
			default: // it knows already
			}
		}
	}
}
