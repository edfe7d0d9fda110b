package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestReady(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"path":%q}`, r.URL.Path)
	}))
	t.Cleanup(server.Close)
	got := command{args: []string{"ready", "--url", server.URL}}.run(t)
	if got.code != 0 || !strings.Contains(got.out, `"/readyz"`) {
		t.Errorf("ready: %+v", got)
	}
	status = http.StatusServiceUnavailable
	if got := (command{args: []string{"ready", "--url", server.URL}}).run(t); got.code != 1 || !strings.Contains(got.errOut, "503") {
		t.Errorf("not ready: %+v", got)
	}
}
