// Package wire counts round trips and statements between a program and Postgres. A proxy between them parses the
// messages, so the counts are exact, and the program needs no code for counting.
package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
)

// Counts has the round trips and statements of a program since the last call of Take.
type Counts struct {
	Trips      int      // times that the program sent something and waited for the answer
	Statements int      // that Postgres completed
	Texts      []string // of the statements, in their order; only the first 4 KB of each
}

// Proxy listens on a port of 127.0.0.1 and forwards connections to one Postgres server. It is safe for concurrent use.
type Proxy struct {
	listener net.Listener
	server   string // host:port
	opened   sync.WaitGroup

	mu     sync.Mutex
	counts Counts
	open   map[net.Conn]struct{}
	closed bool
}

// Start starts a Proxy for the server of a URL. Connections to the server must not use TLS (sslmode=disable). Once ctx
// has ended, new connections are closed at once. The caller must close the Proxy.
func Start(ctx context.Context, server string) (*Proxy, error) {
	parsed, err := url.Parse(server)
	if err != nil {
		return nil, fmt.Errorf("parse the server's URL: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: listener, server: parsed.Host, open: map[net.Conn]struct{}{}}
	p.opened.Go(func() { p.accept(ctx) })
	return p, nil
}

// URL returns the URL server with the host and port of the proxy, or unchanged if it cannot be parsed.
func (p *Proxy) URL(server string) string {
	parsed, err := url.Parse(server)
	if err != nil {
		return server
	}
	parsed.Host = p.listener.Addr().String()
	return parsed.String()
}

// Take returns the counts since the last call of Take, and resets them.
func (p *Proxy) Take() Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.counts
	p.counts = Counts{}
	return taken
}

// Close closes the listener and the connections through the proxy, and waits until its goroutines have ended.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.mu.Lock()
	p.closed = true
	for conn := range p.open {
		_ = conn.Close()
	}
	p.mu.Unlock()
	p.opened.Wait()
	return err
}

func (p *Proxy) accept(ctx context.Context) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.pass(client, server)
	}
}

// pass forwards bytes in both directions, in separate goroutines, until one of the connections ends. If the proxy was
// closed meanwhile, it closes both.
func (p *Proxy) pass(client, server net.Conn) {
	talk := &talk{proxy: p, named: map[string]string{}, portals: map[string]string{}}
	if !p.keep(client, server) {
		_, _ = client.Close(), server.Close()
		return
	}
	end := func() {
		_, _ = client.Close(), server.Close()
		p.mu.Lock()
		delete(p.open, client)
		delete(p.open, server)
		p.mu.Unlock()
	}
	asked := &reader{startup: true, take: talk.said}
	answered := &reader{take: talk.heard}
	p.opened.Go(func() { defer end(); _ = copyThrough(server, client, asked) })
	p.opened.Go(func() { defer end(); _ = copyThrough(client, server, answered) })
}

// keep records two connections, for Close to close them. It returns false if the proxy is closed.
func (p *Proxy) keep(client, server net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.open[client], p.open[server] = struct{}{}, struct{}{}
	return true
}

// copyThrough forwards bytes from one connection to the other. It passes each piece to seen before it sends it, so that
// an answer is not counted before its request.
func copyThrough(to io.Writer, from io.Reader, seen *reader) error {
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		seen.read(piece[:n])
		if _, err := to.Write(piece[:n]); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
