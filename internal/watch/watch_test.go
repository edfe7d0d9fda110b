package watch_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/watch"
)

// TestWhoComesDuringALookWaitsForTheNext begins to watch a thing while the versions of others are read.
func TestWhoComesDuringALookWaitsForTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var watcher *watch.Watcher
		var late *watch.Watch
		begin := sync.OnceFunc(func() { late = watcher.Watch(uuid.New()) })
		watcher = watch.New("things", func(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
			begin()
			versions := map[uuid.UUID]string{}
			for _, id := range ids {
				versions[id] = "1"
			}
			return versions, nil
		}, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(t.Context())
		early := watcher.Watch(uuid.New())
		go watcher.Run(ctx)
		<-early.Changed()
		synctest.Wait()
		select {
		case <-late.Changed():
			t.Errorf("notified of version %q before a look", late.Version())
		default:
		}
		began := time.Now()
		<-late.Changed()
		if late.Version() != "1" || time.Since(began) == 0 {
			t.Errorf("notified of version %q after %s", late.Version(), time.Since(began))
		}
		early.Close()
		late.Close()
		stop()
		synctest.Wait()
	})
}
