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

	"dealflow/migrations"
)

// envelope is how every answer of the service looks.
type envelope struct {
	Success bool   `json:"success"`
	Error   string `json:"error,omitempty"`
	Data    any    `json:"data"`
}

// health serves /healthz (the process lives), /readyz (it can work, and is not to stop) and, for operators, /metrics.
func (w *worker) health(registry *prometheus.Registry, stopping <-chan struct{}) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) {
		answer(rw, http.StatusOK, envelope{Success: true, Data: map[string]string{"status": "ok"}})
	})
	mux.HandleFunc("GET /readyz", func(rw http.ResponseWriter, r *http.Request) {
		select {
		case <-stopping:
			answer(rw, http.StatusServiceUnavailable, envelope{Error: "Service unavailable", Data: map[string]string{"process": "stops"}})
		default:
			w.ready(rw, r)
		}
	})
	mux.HandleFunc("GET /metrics", func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case !w.cfg.Operator.Enabled():
			answer(rw, http.StatusNotFound, envelope{Error: "Resource not found"})
		case !w.isOperator(r):
			rw.Header().Set("WWW-Authenticate", `Basic realm="dealflow operators"`)
			answer(rw, http.StatusUnauthorized, envelope{Error: "Invalid or expired API key"})
		default:
			promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(rw, r)
		}
	})
	return mux
}

// ready asks the database and Redis: without either the worker gets no work.
func (w *worker) ready(rw http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	reasons := map[string]string{}
	if err := w.db.CheckSchema(ctx, migrations.Files); err != nil {
		reasons["database"] = err.Error()
	}
	if err := w.redis.Ping(ctx).Err(); err != nil {
		reasons["redis"] = err.Error()
	}
	if len(reasons) > 0 {
		answer(rw, http.StatusServiceUnavailable, envelope{Error: "Service unavailable", Data: reasons})
		return
	}
	answer(rw, http.StatusOK, envelope{Success: true, Data: map[string]string{"status": "ready"}})
}

func (w *worker) isOperator(r *http.Request) bool {
	user, password, _ := r.BasicAuth()
	return same(user, w.cfg.Operator.User)&same(password, w.cfg.Operator.Password) == 1
}

// same compares in constant time; 1 is yes.
func same(a, b string) int {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:])
}

func answer(rw http.ResponseWriter, status int, body envelope) {
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(body) // the client has gone
}
