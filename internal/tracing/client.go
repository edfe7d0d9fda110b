package tracing

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/sethvargo/go-retry"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// How spans are sent: the first pause before a request is repeated, and how much of an answer is read.
const (
	firstPause = 500 * time.Millisecond
	maxAnswer  = 64 << 10
)

// Collector is the OpenTelemetry server to which traces are posted.
type Collector struct {
	URL     string // empty: nothing is traced
	Headers http.Header
	Timeout time.Duration // of one request
}

// client sends spans by OTLP over HTTP. The client of the OpenTelemetry library would add gRPC and its gateway to the
// binary.
type client struct {
	http *http.Client
	to   Collector
}

func newClient(to Collector) *client {
	return &client{http: &http.Client{Timeout: to.Timeout}, to: to}
}

// Start implements otlptrace.Client.
func (c *client) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *client) Stop(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. It sends the spans again until ctx ends if the collector cannot be reached
// or cannot accept them now. Any other refusal is an error at once.
func (c *client) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// On the wire, TracesData is what the collector's request is.
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	return retry.Do(ctx, retry.WithJitterPercent(20, retry.NewExponential(firstPause)), func(ctx context.Context) error {
		return c.send(ctx, body)
	})
}

func (c *client) send(ctx context.Context, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.to.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	maps.Copy(request.Header, c.to.Headers)
	request.Header.Set("Content-Type", "application/x-protobuf")
	answer, err := c.http.Do(request)
	if err != nil {
		return retry.RetryableError(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // so that the connection can be used again
	switch answer.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return retry.RetryableError(fmt.Errorf("the collector answers %s", answer.Status))
	default:
		return fmt.Errorf("the collector answers %s", answer.Status)
	}
}
