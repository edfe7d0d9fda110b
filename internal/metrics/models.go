package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// ModelCall describes one analysis by a model. Its fields mean what the fields of the same names in model.Call mean.
type ModelCall struct {
	Outcome                        string
	Took                           time.Duration
	PromptTokens, CompletionTokens int
	Refused                        []string // fields
}

// models has the metrics of analyses by the model server: their durations, tokens and cost, and the values that failed
// the check against the text.
type models struct {
	duration *prometheus.HistogramVec
	tokens   *prometheus.CounterVec
	refused  *prometheus.CounterVec
	cost     prometheus.Counter

	inputPrice, outputPrice float64
}

// NewModels registers the metrics of analyses by a model, and returns a function that adds one, which is safe for
// concurrent use. The prices are in USD for a million tokens, 0 if they are not known. NewModels panics if the registry
// has the metrics already.
func NewModels(registry prometheus.Registerer, inputPrice, outputPrice float64) func(ModelCall) {
	m := &models{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dealflow_model_call_seconds", Help: "How long an analysis by the model took, retries included, by outcome.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 16),
		}, []string{"outcome"}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dealflow_model_tokens_total", Help: "Tokens that the model server counted.",
		}, []string{"kind"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dealflow_model_refused_fields_total",
			Help: "Fields of the model's answers that the text does not support.",
		}, []string{"field"}),
		cost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "dealflow_model_cost_usd_total", Help: "What the counted tokens cost by OPENAI_PRICES.",
		}),
		inputPrice: inputPrice, outputPrice: outputPrice,
	}
	registry.MustRegister(m.duration, m.tokens, m.refused, m.cost)
	return m.observe
}

func (m *models) observe(call ModelCall) {
	m.duration.WithLabelValues(call.Outcome).Observe(call.Took.Seconds())
	m.tokens.WithLabelValues("prompt").Add(float64(call.PromptTokens))
	m.tokens.WithLabelValues("completion").Add(float64(call.CompletionTokens))
	for _, field := range call.Refused {
		m.refused.WithLabelValues(field).Inc()
	}
	const million = 1e6
	m.cost.Add((float64(call.PromptTokens)*m.inputPrice + float64(call.CompletionTokens)*m.outputPrice) / million)
}
