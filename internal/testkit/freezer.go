package testkit

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Freezer is a proxy that can make a server look as if SIGSTOP had stopped it: connections are accepted, and nothing is
// answered. It is safe for concurrent use.
type Freezer struct {
	listener net.Listener
	server   string

	mu     sync.Mutex
	thawed chan struct{} // closed while traffic passes
}

// Freeze starts a Freezer for the server of a URL, which at first forwards everything, and returns it with the URL to
// use in place of rawURL. It accepts connections until the test ends.
func Freeze(tb testing.TB, rawURL string) (*Freezer, string) {
	tb.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		tb.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	f := &Freezer{listener: listener, server: u.Host, thawed: make(chan struct{})}
	close(f.thawed)
	tb.Cleanup(func() { _ = listener.Close() })
	go f.accept(context.WithoutCancel(tb.Context()))
	u.Host = listener.Addr().String()
	return f, u.String()
}

// Stop makes the proxy hold back all data from now on. It must not be called twice without Continue.
func (f *Freezer) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.thawed = make(chan struct{})
}

// Continue makes the proxy forward data again, beginning with the data that it has held back. It panics unless Stop was
// called after the last Continue.
func (f *Freezer) Continue() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.thawed)
}

func (f *Freezer) pass() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.thawed
}

func (f *Freezer) accept(ctx context.Context) {
	for {
		client, err := f.listener.Accept()
		if err != nil {
			return
		}
		go func() {
			<-f.pass()
			server, err := (&net.Dialer{}).DialContext(ctx, "tcp", f.server)
			if err != nil {
				_ = client.Close()
				return
			}
			go f.forward(server, client)
			f.forward(client, server)
		}()
	}
}

func (f *Freezer) forward(to io.WriteCloser, from io.Reader) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		<-f.pass()
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}
