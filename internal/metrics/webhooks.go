package metrics

import "github.com/prometheus/client_golang/prometheus"

// NewWebhooks registers a counter of the attempts to deliver messages of webhooks, and returns a function that adds one
// with its outcome: "delivered", "failed" or "given_up". It also registers a gauge of what wait returns at each scrape:
// the age in seconds of the oldest message that was never tried. It panics if the registry has one of them already.
func NewWebhooks(registry prometheus.Registerer, wait func() float64) func(outcome string) {
	sent := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "dealflow_webhook_deliveries_total", Help: "Attempts at messages of webhooks: delivered, failed or given_up.",
	}, []string{"outcome"})
	for _, outcome := range []string{"delivered", "failed", "given_up"} {
		sent.WithLabelValues(outcome) // 0 from the start, so that an alert sees the first
	}
	registry.MustRegister(sent, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dealflow_webhook_wait_seconds",
		Help: "Age of the oldest message of a webhook that was never tried, nor waits for a receiver that fails.",
	}, wait))
	return func(outcome string) { sent.WithLabelValues(outcome).Inc() }
}
