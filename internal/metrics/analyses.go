package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// NewAnalyses registers a histogram of the durations of the steps of analyses, and returns a function that adds one,
// which is safe for concurrent use. Its step must be "read" or "analyse", and its by names the reader or the analyzer.
// NewAnalyses panics if the registry has the histogram already.
func NewAnalyses(registry prometheus.Registerer) func(step, by string, took time.Duration) {
	duration := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "dealflow_analysis_step_seconds",
		Help:    "How long reading a PDF or analysing a company took, by reader or analyzer.",
		Buckets: prometheus.ExponentialBuckets(0.001, 2, 16),
	}, []string{"step", "by"})
	registry.MustRegister(duration)
	return func(step, by string, took time.Duration) { duration.WithLabelValues(step, by).Observe(took.Seconds()) }
}
