package model

import (
	"net/http"
	"time"

	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
)

// OpenAIOptions configure the calls of a model. Zero values mean the defaults named here.
type OpenAIOptions struct {
	BaseURL string        // of any server with OpenAI's interface, ending in /v1; default OpenAI's own
	Key     string        // sent as a bearer token; "" sends none
	Model   string        // required
	Timeout time.Duration // for all attempts of one analysis together, default 20 s; one attempt has two thirds of it
	Retries int           // further attempts after 429, 5xx, timeouts and broken connections, default 2; below 0 none
	Backoff time.Duration // before the first of them, then doubled, default 250 ms; a Retry-After that is longer counts

	MaxInput  int // tokens of text and pages that are sent, by estimate, default 12000
	MaxOutput int // tokens that the model may answer with, default 2000

	BreakAfter int           // analyses in a row whose calls failed, after which the server is left alone, default 3
	BreakFor   time.Duration // how long it is left alone before one analysis tries again, default 30 s

	Rules *rules.Rules // for the hints, and if the model fails; default those of rules.New

	// Observe, if not nil, is called at the end of each analysis, unless the context of the analysis had ended before
	// it began. Several goroutines may call it at the same time.
	Observe func(Call)

	HTTPClient *http.Client // default: a client of its own
}

func withDefaults(o OpenAIOptions) OpenAIOptions {
	o.Timeout = positive(o.Timeout, 20*time.Second)
	o.Backoff = positive(o.Backoff, 250*time.Millisecond)
	o.MaxInput = positive(o.MaxInput, 12_000)
	o.MaxOutput = positive(o.MaxOutput, 2000)
	o.BreakAfter = positive(o.BreakAfter, 3)
	o.BreakFor = positive(o.BreakFor, 30*time.Second)
	switch {
	case o.Retries == 0:
		o.Retries = 2
	case o.Retries < 0:
		o.Retries = 0
	}
	if o.Rules == nil {
		o.Rules = rules.New(links.DefaultDeckClasses())
	}
	if o.HTTPClient == nil {
		o.HTTPClient = &http.Client{}
	}
	return o
}

func positive[T int | time.Duration](value, otherwise T) T {
	if value > 0 {
		return value
	}
	return otherwise
}
