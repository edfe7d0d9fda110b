package config

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// tracing has the settings of where traces are sent. The OpenTelemetry library itself reads the variables OTEL_* of
// sampling, batches and resources.
type tracing struct {
	// such as http://collector:4318; without it and TracesEndpoint, nothing is traced
	Endpoint string `env:"OTEL_EXPORTER_OTLP_ENDPOINT"`
	// used in place of Endpoint where it is set: the whole URL for traces
	TracesEndpoint string `env:"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"`
	// name=value, with commas between, values escaped as in URLs
	HeaderList   string `env:"OTEL_EXPORTER_OTLP_HEADERS"`
	Milliseconds int    `env:"OTEL_EXPORTER_OTLP_TIMEOUT" envDefault:"10000"` // for one request
}

// URL returns the URL to which traces are posted; "" if nothing is traced.
func (t *tracing) URL() string {
	if t.TracesEndpoint != "" || t.Endpoint == "" {
		return t.TracesEndpoint
	}
	return strings.TrimSuffix(t.Endpoint, "/") + "/v1/traces"
}

// Timeout returns how long one request that sends traces may take.
func (t *tracing) Timeout() time.Duration { return time.Duration(t.Milliseconds) * time.Millisecond }

// Headers returns the headers of each request that sends traces, such as a key of the collector; none if HeaderList is
// empty. The error of a wrong HeaderList contains no part of it, since it may hold secrets.
func (t *tracing) Headers() (http.Header, error) {
	headers := http.Header{}
	for pair := range strings.SplitSeq(t.HeaderList, ",") {
		name, value, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		if name == "" && !found {
			continue
		}
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if err != nil || !found || name == "" {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS must be name=value, with commas between")
		}
		headers.Add(name, value)
	}
	return headers, nil
}

// Validate returns an error for each address, header and time limit that is wrong; nil if none is.
func (t *tracing) Validate() []error {
	var mistakes []error
	for name, address := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": t.Endpoint, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": t.TracesEndpoint,
	} {
		if address != "" {
			mistakes = append(mistakes, scheme(name, address, "http", "https")...)
		}
	}
	if _, err := t.Headers(); err != nil {
		mistakes = append(mistakes, err)
	}
	if t.Milliseconds < 1 {
		mistakes = append(mistakes, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT: %d is too short, give milliseconds",
			t.Milliseconds))
	}
	return mistakes
}
