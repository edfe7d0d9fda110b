package metrics_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"dealflow/internal/blob"
	"dealflow/internal/metrics"
	"dealflow/internal/outage"
	"dealflow/internal/testkit"
	"dealflow/migrations"
)

func TestServersAndConnections(t *testing.T) {
	t.Parallel()
	db, client := testkit.Database(t), testkit.Redis(t)
	store, err := blob.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	server := outage.New(outage.Options{Name: "storage", Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(server.Close)
	if err := errors.Join(client.Ping(t.Context()).Err(), db.Check(t.Context(), migrations.Files)); err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewPedanticRegistry()
	metrics.Register(registry, metrics.Sources{
		Servers: []*outage.Server{server}, Database: db.Stat, Redis: client.PoolStats, Storage: store.Free,
	})
	err = testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP dealflow_server_up Whether the server answers: 0 while it is known not to.
# TYPE dealflow_server_up gauge
dealflow_server_up{server="storage"} 1
`), "dealflow_server_up")
	if err != nil {
		t.Error(err)
	}
	for name, least := range map[string]float64{
		"dealflow_database_connections": 1, "dealflow_database_connections_max": 2, "dealflow_redis_connections": 1,
		"dealflow_storage_free_bytes": 1,
	} {
		if got := sum(t, registry, name); got < least {
			t.Errorf("%s = %v", name, got)
		}
	}
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("%v: %v", err, problems)
	}
}

func sum(t *testing.T, registry *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, family := range families {
		if family.GetName() == name {
			for _, metric := range family.GetMetric() {
				total += metric.GetGauge().GetValue()
			}
		}
	}
	return total
}
