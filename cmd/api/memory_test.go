package main

import (
	"log/slog"
	"runtime"
	"testing"

	"dealflow/internal/config"
	"dealflow/internal/testkit"
)

// liveBudget is what the API may hold on its heap before the first request, in MB. The collector lets the heap grow to
// more than twice that under load. A change that makes it smaller lowers the figure, and a commit that has to raise it
// says why.
const liveBudget = 12.5

// TestAPIStartsWithinItsMemory must be the first in this package, and no test parallel, since the heap is that of the
// whole process.
func TestAPIStartsWithinItsMemory(t *testing.T) {
	a := built(t, testkit.RedisURL(t), slog.New(slog.DiscardHandler))
	runtime.GC()
	runtime.GC() // what a sync.Pool holds outlives one collection
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	if live := float64(heap.HeapAlloc) / (1 << 20); live > liveBudget {
		t.Errorf("the API holds %.1f MB before the first request, more than the %.1f of its budget", live, liveBudget)
	} else {
		t.Logf("%.1f of %.1f MB", live, liveBudget)
	}
	runtime.KeepAlive(a)
}

// built returns the parts of an API with a database of its own, which are closed when the test ends.
func built(t *testing.T, redisURL string, log *slog.Logger) *api {
	t.Helper()
	t.Setenv("DATABASE_URL", testkit.NewDatabaseURL(t))
	t.Setenv("REDIS_URL", redisURL)
	t.Setenv("STORAGE_URL", "file://"+t.TempDir())
	t.Setenv("SECRET_KEYS", "a secret of thirty-two letters or more")
	cfg, err := config.LoadAPI()
	if err != nil {
		t.Fatal(err)
	}
	a, err := build(t.Context(), cfg, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	return a
}
