package tracing

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// TestSpansAreSentAgain has a collector that refuses at first, with a status after which spans are sent again.
func TestSpansAreSentAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		body, err := io.ReadAll(r.Body)
		var got tracepb.TracesData
		if err != nil || proto.Unmarshal(body, &got) != nil || len(got.GetResourceSpans()) != 1 ||
			r.URL.Path != "/otlp/v1/traces" || r.Header.Get("Authorization") != "Bearer a b" {
			t.Errorf("got %s with %q: %v", r.URL, r.Header, &got)
		}
	}))
	t.Cleanup(collector.Close)
	key := http.Header{"Authorization": {"Bearer a b"}}
	c := newClient(Collector{URL: collector.URL + "/otlp/v1/traces", Headers: key, Timeout: time.Minute})
	if err := c.UploadTraces(t.Context(), []*tracepb.ResourceSpans{{SchemaUrl: "x"}}); err != nil || asked.Load() != 2 {
		t.Errorf("sent after %d requests: %v", asked.Load(), err)
	}
}

// TestSpansThatAreRefusedAreNotSentAgain has a collector that refuses for good.
func TestSpansThatAreRefusedAreNotSentAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(collector.Close)
	c := newClient(Collector{URL: collector.URL, Timeout: time.Minute})
	if err := c.UploadTraces(t.Context(), nil); err == nil || asked.Load() != 1 {
		t.Errorf("%d requests: %v", asked.Load(), err)
	}
}
