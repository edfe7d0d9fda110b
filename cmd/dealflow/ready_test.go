package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestReady(t *testing.T) {
	t.Parallel()
	var status atomic.Int32
	status.Store(http.StatusOK)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(int(status.Load()))
		fmt.Fprintf(w, `{"path":%q}`, r.URL.Path)
	}))
	t.Cleanup(server.Close)
	got := command{args: []string{"ready", "--url", server.URL}}.run(t)
	if got.code != 0 || !strings.Contains(got.out, `"/readyz"`) {
		t.Errorf("ready: %+v", got)
	}
	status.Store(http.StatusServiceUnavailable)
	if got := (command{args: []string{"ready", "--url", server.URL}}).run(t); got.code != 1 ||
		!strings.Contains(got.errOut, "503") {
		t.Errorf("not ready: %+v", got)
	}
}
