package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// watchInterval is how often a process looks for changes of the imports that its clients watch, all with one query.
const watchInterval = 400 * time.Millisecond

// Watcher tells those in this process who watch imports when these change. It is safe for concurrent use.
type Watcher struct {
	db  *postgres.DB
	log *slog.Logger

	mu       sync.Mutex
	watchers map[uuid.UUID]map[*Watch]struct{}
	versions map[uuid.UUID]string
}

// Watch is one who watches an import.
type Watch struct {
	watcher *Watcher
	id      uuid.UUID
	changed chan struct{}
}

// NewWatcher makes a watcher, which tells nobody anything before Run.
func NewWatcher(db *postgres.DB, log *slog.Logger) *Watcher {
	return &Watcher{db: db, log: log, watchers: map[uuid.UUID]map[*Watch]struct{}{}, versions: map[uuid.UUID]string{}}
}

// Watch begins to watch an import. Whether that may be seen is for the caller to ask, as what is told is only that it changed. Close it in any case.
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

// Changed has something once the import has changed, or is gone, since something was last taken from it.
func (w *Watch) Changed() <-chan struct{} { return w.changed }

// Close ends the watching. It may be called again.
func (w *Watch) Close() {
	w.watcher.mu.Lock()
	defer w.watcher.mu.Unlock()
	others := w.watcher.watchers[w.id]
	delete(others, w)
	if len(others) == 0 {
		delete(w.watcher.watchers, w.id)
		delete(w.watcher.versions, w.id)
	}
}

// Run looks for changes until the context ends.
func (w *Watcher) Run(ctx context.Context) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for failing := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := w.look(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			w.log.ErrorContext(ctx, "cannot look for changes of imports; who watches them waits", "error", err)
		}
		failing = err != nil
	}
}

func (w *Watcher) look(ctx context.Context) error {
	ids := w.ids()
	if len(ids) == 0 {
		return nil
	}
	var rows []struct {
		ID      uuid.UUID
		Changed string
	}
	err := w.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_import_changes(string_to_array(?, ',')::uuid[])", strings.Join(ids, ",")).Scan(&rows).Error
	})
	if err != nil {
		return fmt.Errorf("look for changes of imports: %w", err)
	}
	found := map[uuid.UUID]string{}
	for _, r := range rows {
		found[r.ID] = r.Changed
	}
	w.tell(found)
	return nil
}

func (w *Watcher) ids() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]string, 0, len(w.watchers))
	for id := range w.watchers {
		ids = append(ids, id.String())
	}
	return ids
}

// tell wakes those whose import has another version than before; at first, all: it may have changed before they watched.
func (w *Watcher) tell(found map[uuid.UUID]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, watching := range w.watchers {
		version, known := w.versions[id]
		if known && version == found[id] {
			continue
		}
		w.versions[id] = found[id]
		for one := range watching {
			select {
			case one.changed <- struct{}{}:
			default: // it knows already
			}
		}
	}
}
