package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"dealflow/internal/program"
	"dealflow/migrations"
)

// success is the JSON body of a response with status 200, as the API has it; failure is that of any other response.
type success struct {
	Success bool `json:"success"`
	Data    any  `json:"data"`
}

type failure struct {
	Success bool     `json:"success"`
	Error   string   `json:"error"`
	Data    any      `json:"data"`
	Code    string   `json:"code"`
	Details []detail `json:"details"`
}

type detail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// health returns the handler of three paths: /healthz always responds 200; /readyz responds 200 if the worker can do
// work and is not about to stop, and otherwise 503; /metrics is for operators, and responds 401 to others, and 404 if
// no operator is configured. The worker is about to stop once stopping is closed.
func (w *worker) health(registry *prometheus.Registry, stopping <-chan struct{}) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) {
		answer(rw, http.StatusOK, success{true, map[string]string{"status": "ok"}})
	})
	mux.HandleFunc("GET /readyz", func(rw http.ResponseWriter, r *http.Request) {
		select {
		case <-stopping:
			refuse(rw, http.StatusServiceUnavailable, "Service unavailable", "unavailable", detail{"process", "stops"})
		default:
			w.ready(rw, r)
		}
	})
	mux.HandleFunc("GET /metrics", func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case !w.cfg.Operator.Enabled():
			refuse(rw, http.StatusNotFound, "Resource not found", "unknown_path")
		case !w.isOperator(r):
			rw.Header().Set("WWW-Authenticate", `Basic realm="dealflow operators"`)
			refuse(rw, http.StatusUnauthorized, "Invalid or expired API key", "operator_credentials_required")
		default:
			promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(rw, r)
		}
	})
	return mux
}

// ready responds to /readyz. The worker is not ready if the database lacks migrations or does not answer, if Redis does
// not answer, or while its PDF reader is compiled.
func (w *worker) ready(rw http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	var reasons []detail
	if !w.prepared.Load() {
		reasons = append(reasons, detail{"pdf_reader", "is being compiled"})
	}
	if err := w.db.CheckSchema(ctx, migrations.Files); err != nil {
		reasons = append(reasons, detail{"database", err.Error()})
	}
	if err := w.redis.Ping(ctx).Err(); err != nil {
		reasons = append(reasons, detail{"redis", err.Error()})
	}
	if len(reasons) > 0 {
		refuse(rw, http.StatusServiceUnavailable, "Service unavailable", "unavailable", reasons...)
		return
	}
	answer(rw, http.StatusOK, success{true, map[string]string{"status": "ready", "version": program.ThisBuild().Version}})
}

func (w *worker) isOperator(r *http.Request) bool {
	user, password, _ := r.BasicAuth()
	return same(user, w.cfg.Operator.User)&same(password, w.cfg.Operator.Password) == 1
}

// same compares two strings in constant time, and returns 1 if they are equal, else 0.
func same(a, b string) int {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:])
}

func refuse(rw http.ResponseWriter, status int, message, code string, details ...detail) {
	if details == nil {
		details = []detail{}
	}
	if status == http.StatusServiceUnavailable {
		rw.Header().Set("Retry-After", "2")
	}
	answer(rw, status, failure{Error: message, Code: code, Details: details})
}

func answer(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(body) // the client has gone
}
