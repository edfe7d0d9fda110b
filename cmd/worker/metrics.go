package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// modelMetrics count the calls of the model server.
type modelMetrics struct {
	duration *prometheus.HistogramVec
	tokens   *prometheus.CounterVec
}

func newModelMetrics(registry prometheus.Registerer) *modelMetrics {
	m := &modelMetrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dealflow_model_call_seconds", Help: "How long a call of the model server took, by outcome.", Buckets: prometheus.ExponentialBuckets(0.05, 2, 11),
		}, []string{"outcome"}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dealflow_model_tokens_total", Help: "Tokens that the model server counted.",
		}, []string{"kind"}),
	}
	registry.MustRegister(m.duration, m.tokens)
	return m
}

func (m *modelMetrics) observe(outcome string, seconds float64, promptTokens, completionTokens int) {
	m.duration.WithLabelValues(outcome).Observe(seconds)
	m.tokens.WithLabelValues("prompt").Add(float64(promptTokens))
	m.tokens.WithLabelValues("completion").Add(float64(completionTokens))
}

// newStepMetrics gives what measures the steps of an analysis.
func newStepMetrics(registry prometheus.Registerer) func(step, by string, took time.Duration) {
	duration := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "dealflow_analysis_step_seconds", Help: "How long reading a PDF or analysing a company took, by reader or analyzer.",
		Buckets: prometheus.ExponentialBuckets(0.001, 2, 16),
	}, []string{"step", "by"})
	registry.MustRegister(duration)
	return func(step, by string, took time.Duration) { duration.WithLabelValues(step, by).Observe(took.Seconds()) }
}
