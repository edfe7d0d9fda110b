package main

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"dealflow/internal/analysis/model"
	"dealflow/internal/config"
)

func TestModelMetrics(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	m := newModelMetrics(registry, 2, 10)
	m.observe(model.Call{
		Outcome: "refused_fields", Took: time.Second, PromptTokens: 1000, CompletionTokens: 100,
		Refused: []string{"status", "name"},
	})
	m.observe(model.Call{Outcome: "cached", Took: time.Millisecond})
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
	if n := testutil.CollectAndCount(m.duration); n != 2 {
		t.Errorf("%d outcomes are timed, want 2", n)
	}
}

func TestRemembered(t *testing.T) {
	t.Parallel()
	on := config.Model{Key: "k", CacheAge: time.Hour, CacheSize: 5}
	if got := remembered(on); got.Age != time.Hour || got.Most != 5 {
		t.Errorf("remembers %+v", got)
	}
	if off := remembered(config.Model{CacheAge: time.Hour, CacheSize: 5}); off.Age != 0 || off.Most != 0 {
		t.Errorf("without a model it remembers %+v", off)
	}
}
