// Package tracing sends traces to an OpenTelemetry collector. If none is configured, nothing is traced and tracing
// costs nothing. A program calls Start once; packages that trace something use the OpenTelemetry library.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

const (
	quiet    = 5 * time.Minute // the least time between two log lines about traces that are lost
	lastWait = 2 * time.Second // how long Close waits for the collector
)

// Tracing sends the traces of one process. A nil *Tracing sends nothing.
type Tracing struct {
	provider *trace.TracerProvider
	service  string
}

// Start begins to send traces as service by OTLP over HTTP, and sets the tracer provider, propagator and error handler
// of the OpenTelemetry library. The library reads sampling, batches and attributes from its own variables, OTEL_*.
// While the collector does not answer, traces are lost, which is logged and has no other effect. Close must be called
// at the end. If to.URL is "", Start does nothing and returns a nil *Tracing, which may be used.
func Start(ctx context.Context, to Collector, service string, log *slog.Logger) (*Tracing, error) {
	if to.URL == "" {
		return nil, nil
	}
	exporter, err := otlptrace.New(ctx, newClient(to))
	if err != nil {
		return nil, fmt.Errorf("begin to send traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", service)),
		resource.WithFromEnv(), resource.WithHost())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	t := &Tracing{service: service, provider: trace.NewTracerProvider(trace.WithBatcher(exporter),
		trace.WithResource(about))}
	otel.SetTracerProvider(t.provider)
	otel.SetTextMapPropagator(propagation.TraceContext{})
	otel.SetErrorHandler(&complaint{log: log})
	return t, nil
}

// Close sends the spans that were not sent yet. It waits two seconds at most. Nothing is traced afterwards.
func (t *Tracing) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastWait)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // complaint has logged a collector that does not answer
}

// Service returns the name under which requests are traced; "" if nothing is traced.
func (t *Tracing) Service() string {
	if t == nil {
		return ""
	}
	return t.service
}

// Queries returns a tracer of SQL statements, which does not record their arguments; nil if nothing is traced.
func (t *Tracing) Queries() pgx.QueryTracer {
	if t == nil {
		return nil
	}
	return otelpgx.NewTracer(otelpgx.WithDisableConnectionDetailsInAttributes())
}

// complaint logs that traces are lost, at most once in the time quiet. It is safe for concurrent use.
type complaint struct {
	log  *slog.Logger
	mu   sync.Mutex
	last time.Time
}

// Handle implements otel.ErrorHandler.
func (c *complaint) Handle(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.last) < quiet {
		return
	}
	c.last = time.Now()
	c.log.Warn("traces are lost; check that the collector of OTEL_EXPORTER_OTLP_ENDPOINT runs", "error", err)
}
