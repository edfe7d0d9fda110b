package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Model has the settings of an OpenAI-compatible server that analyses texts. Without a key, the built-in rules analyse
// them.
type Model struct {
	Key       string        `env:"OPENAI_API_KEY"`
	BaseURL   string        `env:"OPENAI_BASE_URL"          envDefault:"https://api.openai.com/v1"`
	Name      string        `env:"OPENAI_MODEL"             envDefault:"gpt-4o-mini"`
	Timeout   time.Duration `env:"OPENAI_TIMEOUT"           envDefault:"20s"`   // all attempts of one analysis
	MaxInput  int           `env:"OPENAI_MAX_INPUT_TOKENS"  envDefault:"12000"` // of text and pages, by estimate
	MaxOutput int           `env:"OPENAI_MAX_OUTPUT_TOKENS" envDefault:"2000"`
	Prices    []string      `env:"OPENAI_PRICES"`                              // MODEL=IN/OUT, USD for a million tokens
	CacheAge  time.Duration `env:"OPENAI_CACHE_AGE"         envDefault:"168h"` // 0: answers are not remembered
	CacheSize int           `env:"OPENAI_CACHE_SIZE"        envDefault:"1000"` // answers of one account
}

// Validate returns an error for each setting that is wrong; nil if none is, or if there is no key.
func (m *Model) Validate() []error {
	if m.Key == "" {
		return nil
	}
	mistakes := scheme("OPENAI_BASE_URL", m.BaseURL, "http", "https")
	if m.Timeout < time.Second {
		mistakes = append(mistakes, fmt.Errorf("OPENAI_TIMEOUT: %s is too short, give at least 1s", m.Timeout))
	}
	if m.MaxInput < 500 || m.MaxOutput < 200 {
		mistakes = append(mistakes,
			fmt.Errorf("OPENAI_MAX_INPUT_TOKENS and OPENAI_MAX_OUTPUT_TOKENS must be at least 500 and 200"))
	}
	if m.CacheAge < 0 || m.CacheSize < 0 {
		mistakes = append(mistakes,
			fmt.Errorf("OPENAI_CACHE_AGE and OPENAI_CACHE_SIZE may not be negative (0 turns the cache off)"))
	}
	for _, line := range m.Prices {
		if _, err := readPrice(line); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return mistakes
}

// Remembers reports whether the model's answers are stored, to be used again for the same texts.
func (m *Model) Remembers() bool { return m.Key != "" && m.CacheAge > 0 && m.CacheSize > 0 }

// Price returns what a million tokens to and from the model cost in USD; zeros if Prices does not list the model.
func (m *Model) Price() (input, output float64) {
	for _, line := range m.Prices {
		if p, err := readPrice(line); err == nil && p.model == m.Name {
			return p.input, p.output
		}
	}
	return 0, 0
}

// price is what a million tokens to and from a model cost in USD.
type price struct {
	model         string
	input, output float64
}

func readPrice(line string) (price, error) {
	model, figures, _ := strings.Cut(strings.TrimSpace(line), "=")
	in, out, _ := strings.Cut(figures, "/")
	input, errIn := strconv.ParseFloat(in, 64)
	output, errOut := strconv.ParseFloat(out, 64)
	if model == "" || errIn != nil || errOut != nil || !(input >= 0 && output >= 0) || math.IsInf(input+output, 0) {
		return price{}, fmt.Errorf("OPENAI_PRICES: %q is not of the form MODEL=IN/OUT, such as gpt-4o-mini=0.15/0.60", line)
	}
	return price{model: model, input: input, output: output}, nil
}
