// Package watch notifies clients in this process when the things that they watch change. It looks for changes with one
// query for each kind of thing, however many clients there are.
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

// interval is how often a Watcher looks for changes, with one query for all things that are watched.
const interval = 400 * time.Millisecond

// Versions returns the versions of things by their ids; it leaves out things that do not exist. A version is any text,
// not empty, that changes when its thing changes.
type Versions func(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)

// Watcher looks for changes of things of one kind, and notifies the clients that watch them. It is safe for concurrent
// use.
type Watcher struct {
	what     string
	versions Versions
	log      *slog.Logger

	mu       sync.Mutex
	watchers map[uuid.UUID]map[*Watch]struct{}
}

// Watch notifies one client of the changes of one thing. It is safe for concurrent use.
type Watch struct {
	watcher *Watcher
	id      uuid.UUID
	changed chan struct{}
	looked  bool   // the version is known
	version string // "" where the thing is gone
}

// New returns a Watcher of the things whose versions the function returns. what is their name in the log. The Watcher
// notifies no client unless Run is running.
func New(what string, versions Versions, log *slog.Logger) *Watcher {
	return &Watcher{
		what: what, versions: versions, log: log, watchers: map[uuid.UUID]map[*Watch]struct{}{},
	}
}

// Watch begins to watch the thing with this id, which need not exist. It does not check whether the client may see the
// thing: the caller must. The caller must close the Watch.
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

// Changed returns a channel that receives a value when the thing has changed or no longer exists. Changes that happen
// before the value is read are one value. The first look sends a value in any case, since the thing may have changed
// before it was watched. The channel is never closed.
func (w *Watch) Changed() <-chan struct{} { return w.changed }

// Version returns the version that the thing had when it was last found changed. It is "" before the first value of
// Changed, and if the thing does not exist.
func (w *Watch) Version() string {
	w.watcher.mu.Lock()
	defer w.watcher.mu.Unlock()
	return w.version
}

// Close ends the watching. A second call does nothing.
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

// Run looks for changes every interval until ctx ends. If looks fail in a row, it logs the first failure, and notifies
// no client until one succeeds. It must be called once.
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

// notify notifies each client that watches one of the things with these ids, if the client does not know the version in
// found, which is "" if found has none. It notifies a client in any case if this is the client's first look. Things
// that are not among ids, because a client began to watch them during the look, wait for the next look.
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
