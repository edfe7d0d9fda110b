package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"dealflow/internal/metrics"
	"dealflow/internal/testkit"
)

func ask(t *testing.T, w *worker, path, user, password string) *httptest.ResponseRecorder {
	t.Helper()
	registry := prometheus.NewRegistry()
	metrics.NewAnalyses(registry)("read", "none", 0)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	if user != "" {
		request.SetBasicAuth(user, password)
	}
	answer := httptest.NewRecorder()
	w.health(registry, nil).ServeHTTP(answer, request)
	return answer
}

func TestHealthOfAWorker(t *testing.T) {
	t.Parallel()
	w := &worker{db: testkit.Database(t), redis: testkit.Redis(t)}
	w.cfg.Operator.User, w.cfg.Operator.Password = "operator", "right password"
	w.prepared.Store(true)
	off := &worker{db: w.db, redis: w.redis}
	for name, tc := range map[string]struct {
		worker               *worker
		path, user, password string
		status               int
		want, not            string
	}{
		"alive": {w, "/healthz", "", "", 200, `"success":true`, "error"},
		"ready": {w, "/readyz", "", "", 200, `"version":"`, "error"},
		"metrics without password": {
			w, "/metrics", "", "", 401,
			`{"success":false,"error":"Invalid or expired API key","data":null,"code":"operator_credentials_required",` +
				`"details":[]}`, "dealflow_",
		},
		"metrics, wrong password": {
			w, "/metrics", "operator", "wrong", 401,
			`{"success":false,"error":"Invalid or expired API key","data":null,"code":"operator_credentials_required",` +
				`"details":[]}`, "dealflow_",
		},
		"metrics of the operator": {
			w, "/metrics", "operator", "right password", 200, "dealflow_analysis_step_seconds", "success",
		},
		"ready before its PDF reader is": {off, "/readyz", "", "", 503, `"pdf_reader"`, "redis"},
		"metrics where they are off":     {off, "/metrics", "", "", 404, "Resource not found", "dealflow_"},
	} {
		got := ask(t, tc.worker, tc.path, tc.user, tc.password)
		if got.Code != tc.status || !strings.Contains(got.Body.String(), tc.want) ||
			strings.Contains(got.Body.String(), tc.not) {
			t.Errorf("%s: %d %.200s", name, got.Code, got.Body)
		}
	}
}

func TestWorkerWithoutRedisIsNotReady(t *testing.T) {
	t.Parallel()
	w := &worker{db: testkit.Database(t), redis: testkit.Redis(t)}
	if err := w.redis.Close(); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, w, "/readyz", "", ""); got.Code != http.StatusServiceUnavailable ||
		!strings.Contains(got.Body.String(), `"redis"`) || !strings.Contains(got.Body.String(), `"code":"unavailable"`) ||
		got.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}
