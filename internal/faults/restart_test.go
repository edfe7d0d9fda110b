//go:build faults

package faults_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dealflow/internal/testkit/process"
)

// upstream is a load balancer as an operator may have: it asks /readyz of the APIs, and sends requests to those that
// are ready. It repeats no request.
type upstream struct {
	apis  [replicas]atomic.Pointer[process.Process]
	ready [replicas]atomic.Bool
	next  atomic.Uint64
}

const probeInterval = 200 * time.Millisecond

func (u *upstream) probe(ctx context.Context, t *testing.T) {
	t.Helper()
	for ctx.Err() == nil {
		for i := range u.apis {
			u.ready[i].Store(u.apis[i].Load().Ready(t))
		}
		time.Sleep(probeInterval)
	}
}

func (u *upstream) handler() http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: u.pick().Address})
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, err.Error())
		},
	}
}

func (u *upstream) pick() *process.Process {
	for range u.apis {
		if i := u.next.Add(1) % replicas; u.ready[i].Load() {
			return u.apis[i].Load()
		}
	}
	return u.apis[0].Load()
}

// testRollingRestart replaces each API and each worker in turn under load. No request may fail.
func testRollingRestart(t *testing.T, in *installation) {
	t.Helper()
	var u upstream
	for i := range replicas {
		u.apis[i].Store(in.apis[i])
		u.ready[i].Store(true)
	}
	ctx, cancel := context.WithCancel(t.Context())
	server := newServer(t, u.handler())
	var group sync.WaitGroup
	group.Go(func() { u.probe(ctx, t) })
	var requests, broken atomic.Int64
	l := newLoad(t, server, in.team)
	for client := range clients {
		group.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				requests.Add(1)
				if why := l.once(client, n); why != "" {
					broken.Add(1)
					t.Errorf("a request broke: %s", why)
				}
			}
		})
	}
	time.Sleep(time.Second)
	for i := range replicas {
		t.Logf("%s: an API and a worker are replaced", time.Now().Format("05.000"))
		for _, old := range []*process.Process{in.workers[i], in.apis[i]} {
			if code := old.Stop(); code != 0 {
				t.Errorf("a process that was told to stop ended with %d:\n%.2000s", code, old.Log())
			}
		}
		in.workers[i], in.apis[i] = in.start(t, "worker"), in.start(t, "api")
		u.apis[i].Store(in.apis[i])
		time.Sleep(4 * probeInterval)
	}
	time.Sleep(time.Second)
	cancel()
	group.Wait()
	t.Logf("%d requests, %d broke", requests.Load(), broken.Load())
}

// once creates a company or reads the list of companies, and returns what was wrong with the response, or "".
func (l *load) once(client, n int) string {
	ctx, cancel := context.WithTimeout(l.t.Context(), 50*time.Second)
	defer cancel()
	method, path, contentType, body := http.MethodGet, "/companies?limit=5", "", &bytes.Buffer{}
	if n%3 == 0 {
		form := multipart.NewWriter(body)
		_ = form.WriteField("account_id", l.team.AccountID) // a Buffer takes everything
		_ = form.WriteField("text",
			fmt.Sprintf("A pitch of Rolling %d-%d, which raises a seed round from its friends.", client, n))
		part, _ := form.CreateFormFile("file_0", "deck.pdf")
		_, _ = part.Write(l.deck)
		_ = form.Close()
		method, path, contentType = http.MethodPost, "/companies/upload/ai", form.FormDataContentType()
	}
	request, err := http.NewRequestWithContext(ctx, method, l.base+path, body)
	if err != nil {
		return err.Error()
	}
	request.Header.Set("Authorization", "Bearer "+l.team.Key)
	request.Header.Set("Content-Type", contentType)
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	defer got.Body.Close()
	read, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusOK {
		return fmt.Sprintf("%s %s = %d, %v: %.300s", method, path, got.StatusCode, err, read)
	}
	return ""
}
