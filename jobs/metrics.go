package jobs

import (
	"errors"
	"time"

	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/work"
)

// metrics are the Prometheus metrics of a worker.
type metrics struct {
	duration *prometheus.HistogramVec
	waited   *prometheus.HistogramVec
}

func newMetrics(registry prometheus.Registerer) *metrics {
	m := &metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dealflow_work_duration_seconds", Help: "How long an attempt at a piece of work took.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2, 15),
		}, []string{"kind", "outcome"}),
		waited: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dealflow_work_wait_seconds", Help: "From telling the queue of work to its start.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 15),
		}, []string{"kind"}),
	}
	registry.MustRegister(m.duration, m.waited)
	return m
}

func (m *metrics) observe(item work.Item, err error, took time.Duration) {
	outcome := "done"
	switch {
	case errors.Is(err, work.ErrLost):
		outcome = "lost"
	case errors.Is(err, errStopping), isOutage(err):
		outcome = "interrupted"
	case err != nil:
		outcome = "failed"
	}
	m.duration.WithLabelValues(item.Kind, outcome).Observe(took.Seconds())
	if item.ToldAt != nil && item.StartedAt != nil {
		m.waited.WithLabelValues(item.Kind).Observe(max(0, item.StartedAt.Sub(*item.ToldAt).Seconds()))
	}
}

// QueueMetrics is a Prometheus collector. At each scrape it reads from Redis how many tasks each queue has, and how
// many seconds the oldest has waited.
type QueueMetrics struct {
	inspector *asynq.Inspector
	size      *prometheus.Desc
	latency   *prometheus.Desc
}

// NewQueueMetrics returns a collector that reads from this connection. The caller must register the collector and close
// the connection.
func NewQueueMetrics(connection redis.UniversalClient) *QueueMetrics {
	return &QueueMetrics{
		inspector: asynq.NewInspectorFromRedisClient(connection),
		size:      prometheus.NewDesc("dealflow_queue_tasks", "Tasks in the queue.", []string{"queue", "state"}, nil),
		latency: prometheus.NewDesc("dealflow_queue_latency_seconds", "Age of the oldest task that waits.",
			[]string{"queue"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (q *QueueMetrics) Describe(ch chan<- *prometheus.Desc) {
	ch <- q.size
	ch <- q.latency
}

// Collect implements prometheus.Collector. It leaves out a queue that cannot be read.
func (q *QueueMetrics) Collect(ch chan<- prometheus.Metric) {
	for _, name := range []string{work.Interactive, work.Bulk, work.Webhooks} {
		info, err := q.inspector.GetQueueInfo(name)
		if err != nil {
			continue
		}
		for state, count := range map[string]int{
			"pending": info.Pending, "active": info.Active, "scheduled": info.Scheduled, "retry": info.Retry,
			"archived": info.Archived,
		} {
			ch <- prometheus.MustNewConstMetric(q.size, prometheus.GaugeValue, float64(count), name, state)
		}
		ch <- prometheus.MustNewConstMetric(q.latency, prometheus.GaugeValue, info.Latency.Seconds(), name)
	}
}
