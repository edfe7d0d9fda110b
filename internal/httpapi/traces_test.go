package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// TestNoTokenIsTraced asks for paths that hold tokens: whoever reads traces could use them.
//
//nolint:paralleltest // the tracer is that of the process
func TestNoTokenIsTraced(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	before := otel.GetTracerProvider()
	otel.SetTracerProvider(trace.NewTracerProvider(trace.WithSyncer(kept)))
	t.Cleanup(func() { otel.SetTracerProvider(before) })
	s := start(t, func(c *setup) { c.Traced = "dealflow-api" })
	const token = "0123456789AB"
	for _, path := range []string{
		"/hooks/", "/s/", "/invitations/", "/reset/", "/verify/", "/signin/", "/files/", "/unknown/",
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path+token+"?x="+token, http.NoBody)
		must(t, err)
		answer, err := http.DefaultClient.Do(request)
		must(t, err)
		_ = answer.Body.Close()
	}
	spans := kept.GetSpans()
	if len(spans) != 8 {
		t.Errorf("%d spans", len(spans))
	}
	for _, span := range spans {
		if all := fmt.Sprint(span.Name, span.Attributes, span.Events, span.Status); strings.Contains(all, token) {
			t.Errorf("a span holds the token: %s", all)
		}
	}
}
