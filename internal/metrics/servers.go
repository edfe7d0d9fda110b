// Package metrics has the metrics for Prometheus, except those of requests, which are in package httpapi, and of work
// and its queues, which are in package jobs.
package metrics

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/outage"
)

// Sources are what is read at each scrape. No function may be nil. None of them may wait for a server.
type Sources struct {
	Servers  []*outage.Server
	Database func() *pgxpool.Stat
	Redis    func() *redis.PoolStats
	Storage  func() (free uint64, known bool) // bytes; not known of a bucket
}

// Register registers a collector of the sources. It panics if the registry has one already.
func Register(registry prometheus.Registerer, s Sources) {
	registry.MustRegister(&collector{
		sources: s,
		up:      describe("dealflow_server_up", "Whether the server answers: 0 while it is known not to.", "server"),
		database: pool{
			connections: describe("dealflow_database_connections", "Connections to Postgres.", "state"),
			limit:       describe("dealflow_database_connections_max", "Connections to Postgres that this process may have."),
			waits:       describe("dealflow_database_waits_total", "Times that a free connection had to be waited for."),
			waited:      describe("dealflow_database_wait_seconds_total", "Time spent waiting for a free connection."),
			failures:    describe("dealflow_database_wait_failures_total", "Waits for a connection that ended without one."),
		},
		redis: pool{
			connections: describe("dealflow_redis_connections", "Connections to Redis.", "state"),
			failures: describe("dealflow_redis_wait_failures_total",
				"Waits for a connection to Redis that ended without one."),
		},
		free: describe("dealflow_storage_free_bytes", "Room that is left on the disk of the storage folder."),
	})
}

type collector struct {
	sources  Sources
	up       *prometheus.Desc
	database pool
	redis    pool
	free     *prometheus.Desc
}

type pool struct{ connections, limit, waits, waited, failures *prometheus.Desc }

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		c.up, c.free, c.database.connections, c.database.limit, c.database.waits, c.database.waited, c.database.failures,
		c.redis.connections, c.redis.failures,
	} {
		ch <- d
	}
}

// Collect implements prometheus.Collector: it sends the present values of all sources.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	count := func(d *prometheus.Desc, value float64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value)
	}
	for _, server := range c.sources.Servers {
		up := 1.0
		if server.Away() {
			up = 0
		}
		gauge(c.up, up, server.Name())
	}
	stat := c.sources.Database()
	gauge(c.database.connections, float64(stat.IdleConns()), "idle")
	gauge(c.database.connections, float64(stat.AcquiredConns()), "used")
	gauge(c.database.limit, float64(stat.MaxConns()))
	count(c.database.waits, float64(stat.EmptyAcquireCount()))
	count(c.database.waited, stat.EmptyAcquireWaitTime().Seconds())
	count(c.database.failures, float64(stat.CanceledAcquireCount()))
	connections := c.sources.Redis()
	gauge(c.redis.connections, float64(connections.IdleConns), "idle")
	gauge(c.redis.connections, float64(connections.TotalConns-connections.IdleConns), "used")
	count(c.redis.failures, float64(connections.Timeouts))
	if free, known := c.sources.Storage(); known {
		gauge(c.free, float64(free))
	}
}
