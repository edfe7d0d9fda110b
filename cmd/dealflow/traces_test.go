package main_test

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// spans are what a collector got: the names of the spans of each trace, as "service: name".
type spans struct {
	mu     sync.Mutex
	traces map[string][]string
}

func (s *spans) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var request tracepb.TracesData
	if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &request) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, from := range request.GetResourceSpans() {
		service := ""
		for _, attribute := range from.GetResource().GetAttributes() {
			if attribute.GetKey() == "service.name" {
				service = attribute.GetValue().GetStringValue()
			}
		}
		for _, scope := range from.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				id := string(span.GetTraceId())
				s.traces[id] = append(s.traces[id], service+": "+span.GetName())
			}
		}
	}
}

// has reports whether one trace has spans that begin with each of these names.
func (s *spans) has(names ...string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, trace := range s.traces {
		all := "\n" + strings.Join(trace, "\n")
		found := 0
		for _, name := range names {
			if strings.Contains(all, "\n"+name) {
				found++
			}
		}
		if found == len(names) {
			return true
		}
	}
	return false
}

// testTraces follows a pitch from the request into the worker.
func testTraces(t *testing.T, s *service) {
	t.Helper()
	got := &spans{traces: map[string][]string{}}
	server := httptest.NewServer(got)
	t.Cleanup(server.Close)
	s.environment = append(s.environment, "OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL, "OTEL_BSP_SCHEDULE_DELAY=100",
		"WORKER_HTTP_ADDR="+freeAddress(t))
	cmd, ready := s.up(t)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	err := errors.Join(w.WriteField("account_id", ready.AccountID),
		w.WriteField("text", "GridMint raises a seed round. Inês Prata, CTO of GridMint"), w.Close())
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, ready.BaseURL+"/companies/upload/ai", &form)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", w.FormDataContentType())
	withKey(ready.APIKey)(request)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("the pitch is answered %d", answer.StatusCode)
	}
	deadline := time.Now().Add(30 * time.Second)
	for !got.has("dealflow-api: POST /api/v1/companies/upload/ai", "dealflow-worker: work ", "dealflow-worker: COMMIT") {
		if time.Now().After(deadline) {
			got.mu.Lock()
			defer got.mu.Unlock()
			t.Fatalf("no trace has all of it: %q", got.traces)
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.testStop(t, cmd)
}
