package config_test

import (
	"strings"
	"testing"
	"time"

	"dealflow/internal/config"
)

func TestModelMistakes(t *testing.T) {
	t.Parallel()
	fine := config.Model{
		Key: "k", BaseURL: "https://m.example/v1", Name: "small", Timeout: time.Second, MaxInput: 500, MaxOutput: 200,
		CacheAge: time.Hour, CacheSize: 1,
	}
	for name, tt := range map[string]struct {
		change func(*config.Model)
		want   string
	}{
		"fine":                {func(*config.Model) {}, ""},
		"fine with prices":    {func(m *config.Model) { m.Prices = []string{"small=0.15/0.60", " other=1/2"} }, ""},
		"no key, all wrong":   {func(m *config.Model) { *m = config.Model{Prices: []string{"x"}} }, ""},
		"no address":          {func(m *config.Model) { m.BaseURL = "nope" }, "OPENAI_BASE_URL"},
		"no time":             {func(m *config.Model) { m.Timeout = time.Millisecond }, "OPENAI_TIMEOUT"},
		"no room":             {func(m *config.Model) { m.MaxInput = 10 }, "OPENAI_MAX_INPUT_TOKENS"},
		"no answer":           {func(m *config.Model) { m.MaxOutput = 10 }, "OPENAI_MAX_OUTPUT_TOKENS"},
		"cache":               {func(m *config.Model) { m.CacheSize = -1 }, "OPENAI_CACHE_SIZE"},
		"price without model": {func(m *config.Model) { m.Prices = []string{"=1/2"} }, "OPENAI_PRICES"},
		"half a price":        {func(m *config.Model) { m.Prices = []string{"small=1"} }, "OPENAI_PRICES"},
		"negative price":      {func(m *config.Model) { m.Prices = []string{"small=-1/2"} }, "OPENAI_PRICES"},
		"endless price":       {func(m *config.Model) { m.Prices = []string{"small=Inf/2"} }, "OPENAI_PRICES"},
		"no number":           {func(m *config.Model) { m.Prices = []string{"small=NaN/2"} }, "OPENAI_PRICES"},
	} {
		m := fine
		tt.change(&m)
		var told []string
		for _, mistake := range m.Validate() {
			told = append(told, mistake.Error())
		}
		if all := strings.Join(told, "; "); (all == "") != (tt.want == "") || !strings.Contains(all, tt.want) {
			t.Errorf("%s: %q, want %q", name, all, tt.want)
		}
	}
}

func TestModelPrice(t *testing.T) {
	t.Parallel()
	m := config.Model{Name: "small", Prices: []string{"big=5/15", "small=0.15/0.60"}}
	if input, output := m.Price(); input != 0.15 || output != 0.60 {
		t.Errorf("it costs %v and %v", input, output)
	}
	m.Name = "unknown"
	if input, output := m.Price(); input != 0 || output != 0 {
		t.Errorf("an unknown model costs %v and %v", input, output)
	}
}

func TestModelRemembers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		m    config.Model
		want bool
	}{
		{config.Model{Key: "k", CacheAge: 1, CacheSize: 1}, true},
		{config.Model{CacheAge: 1, CacheSize: 1}, false},
		{config.Model{Key: "k", CacheSize: 1}, false},
		{config.Model{Key: "k", CacheAge: 1}, false},
	} {
		if tt.m.Remembers() != tt.want {
			t.Errorf("%+v: %v", tt.m, !tt.want)
		}
	}
}
