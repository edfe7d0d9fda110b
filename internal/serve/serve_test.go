package serve_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"dealflow/internal/serve"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

const refusal = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// accepted passes on what the listener accepts until the test ends.
func accepted(t *testing.T, l net.Listener) <-chan net.Conn {
	t.Helper()
	found := make(chan net.Conn, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			found <- c
		}
	}()
	return found
}

func TestConnectionsBeyondTheLimitAreToldSo(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]serve.Limits{"of all": {Total: 2}, "of an address": {Total: 10, PerAddress: 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits.Refusal = []byte(refusal)
			inner := listen(t)
			found := accepted(t, serve.Listen(inner, limits))
			dial(t, inner.Addr().String())
			dial(t, inner.Addr().String())
			first := <-found
			<-found
			over := dial(t, inner.Addr().String())
			if _, err := io.WriteString(over, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			answer, err := http.ReadResponse(bufio.NewReader(over), nil)
			if err != nil {
				t.Fatalf("the third got no answer: %v", err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") != "1" {
				t.Errorf("the third got %d, %v", answer.StatusCode, answer.Header)
			}
			_ = first.Close()
			_ = first.Close() // counts once
			dial(t, inner.Addr().String())
			select {
			case <-found:
			case <-time.After(5 * time.Second):
				t.Error("there is no room again after one was closed")
			}
		})
	}
}

func TestAProxysConnectionsAreThoseOfMany(t *testing.T) {
	t.Parallel()
	inner := listen(t)
	found := accepted(t,
		serve.Listen(inner, serve.Limits{PerAddress: 1, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}))
	for range 3 {
		dial(t, inner.Addr().String())
		select {
		case <-found:
		case <-time.After(5 * time.Second):
			t.Fatal("a proxy's connection was refused")
		}
	}
}

// TestADrainingServerServesOn has a request under way and an idle connection when the stop comes.
func TestADrainingServerServesOn(t *testing.T) {
	t.Parallel()
	inner := listen(t)
	url := "http://" + inner.Addr().String()
	slow, release := make(chan struct{}), make(chan struct{})
	server := &http.Server{
		ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				close(slow)
				<-release
			}
			_, _ = io.WriteString(w, "ok")
		}),
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- serve.Run(ctx, server, inner, serve.Drain{Delay: 300 * time.Millisecond, Grace: 10 * time.Second},
			slog.New(slog.DiscardHandler))
	}()
	answers := make(chan error, 1)
	go func() { answers <- get(t, url+"/slow") }()
	<-slow
	cancel()
	if err := get(t, url); err != nil {
		t.Errorf("during the delay: %v", err)
	}
	time.Sleep(400 * time.Millisecond)
	if err := get(t, url); err == nil {
		t.Error("after the delay a new connection was taken")
	}
	close(release)
	if err := <-answers; err != nil {
		t.Errorf("the request under way: %v", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
}

func get(t *testing.T, url string) error {
	t.Helper()
	request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableKeepAlives: true}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// TestWhatDoesNotEndIsCutOff has a handler that reads a body that never comes: CutOff is called in time, and the end is
// not an error.
func TestWhatDoesNotEndIsCutOff(t *testing.T) {
	t.Parallel()
	inner := listen(t)
	reading, cut := make(chan struct{}), make(chan struct{})
	server := &http.Server{
		ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(reading)
			_, _ = io.Copy(io.Discard, r.Body)
			<-cut
		}),
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- serve.Run(ctx, server, inner, serve.Drain{Grace: 100 * time.Millisecond, CutOff: func() { close(cut) }},
			slog.New(slog.DiscardHandler))
	}()
	c := dial(t, inner.Addr().String())
	if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-reading
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("Run: %v", err)
		}
	case <-time.After(8 * time.Second):
		t.Fatal("the server does not end")
	}
	select {
	case <-cut:
	default:
		t.Error("CutOff was not called")
	}
}

// TestAClientThatDoesNotReadIsCutOff asks for more than the buffers between the two hold.
func TestAClientThatDoesNotReadIsCutOff(t *testing.T) {
	t.Parallel()
	inner := listen(t)
	written := make(chan error, 1)
	server := &http.Server{
		ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, err := w.Write(make([]byte, 64<<20))
			written <- err
		}),
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(serve.Listen(inner, serve.Limits{Write: 200 * time.Millisecond})) }()
	c := dial(t, inner.Addr().String())
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-written:
		if err == nil {
			t.Error("all was written though nobody read")
		}
	case <-time.After(10 * time.Second):
		t.Error("the server still waits for the client")
	}
}
