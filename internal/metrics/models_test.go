package metrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"dealflow/internal/metrics"
)

func TestModels(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	observe := metrics.NewModels(registry, 2, 10)
	observe(metrics.ModelCall{
		Outcome: "refused_fields", Took: time.Second, PromptTokens: 1000, CompletionTokens: 100,
		Refused: []string{"status", "name"},
	})
	observe(metrics.ModelCall{Outcome: "cached", Took: time.Millisecond})
	want := `
# HELP dealflow_model_cost_usd_total What the counted tokens cost by OPENAI_PRICES.
# TYPE dealflow_model_cost_usd_total counter
dealflow_model_cost_usd_total 0.003
# HELP dealflow_model_refused_fields_total Fields of the model's answers that the text does not support.
# TYPE dealflow_model_refused_fields_total counter
dealflow_model_refused_fields_total{field="name"} 1
dealflow_model_refused_fields_total{field="status"} 1
# HELP dealflow_model_tokens_total Tokens that the model server counted.
# TYPE dealflow_model_tokens_total counter
dealflow_model_tokens_total{kind="completion"} 100
dealflow_model_tokens_total{kind="prompt"} 1000
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "dealflow_model_cost_usd_total",
		"dealflow_model_refused_fields_total", "dealflow_model_tokens_total"); err != nil {
		t.Error(err)
	}
	if n, err := testutil.GatherAndCount(registry, "dealflow_model_call_seconds"); n != 2 || err != nil {
		t.Errorf("%d outcomes are timed, want 2: %v", n, err)
	}
}
