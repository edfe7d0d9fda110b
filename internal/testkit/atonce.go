package testkit

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dealflow/internal/fault"
)

// AtOnce calls insert four times at the same time, and returns how many of the calls returned nil. It locks the table
// until all of them wait for a lock, so that none can add a row before the others have begun. It reports an error of
// the test if a call returns an error that is not Conflict, or if not all calls come to wait within a minute. appURL is
// from DatabaseURL.
func AtOnce(tb testing.TB, appURL, table string, insert func() error) int {
	tb.Helper()
	const calls = 4
	lock, err := Administrator(tb, appURL).BeginTx(tb.Context(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = lock.Rollback() }()
	if _, err := lock.ExecContext(tb.Context(), "LOCK TABLE "+table+" IN SHARE MODE"); err != nil {
		tb.Fatal(err)
	}
	var running sync.WaitGroup
	var inserted atomic.Int32
	for range calls {
		running.Go(func() {
			switch err := insert(); {
			case err == nil:
				inserted.Add(1)
			case !fault.Is(err, fault.Conflict):
				tb.Error(err)
			}
		})
	}
	for deadline, waiting := time.Now().Add(time.Minute), 0; waiting < calls; time.Sleep(time.Millisecond) {
		err := Administrator(tb, appURL).QueryRowContext(tb.Context(), "SELECT count(*) FROM pg_stat_activity "+
			"WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&waiting)
		if err != nil || time.Now().After(deadline) {
			tb.Errorf("%d of %d calls wait, %v", waiting, calls, err)
			break
		}
	}
	_ = lock.Rollback()
	running.Wait()
	return int(inserted.Load())
}
