// Package wire counts what a program sends to Postgres. A proxy between the two parses the messages, so its counts are
// exact and need no help of the program: round trips, statements, and their texts.
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

// Counts are what passed between two calls of Take.
type Counts struct {
	Trips      int      // times that the program spoke and then waited
	Statements int      // that Postgres completed
	Texts      []string // of the statements, in their order
}

// Proxy listens on a loopback port and passes everything on to one Postgres server. It is safe for concurrent use.
type Proxy struct {
	listener net.Listener
	server   string // host:port
	opened   sync.WaitGroup

	mu     sync.Mutex
	counts Counts
	open   map[net.Conn]struct{}
}

// Start starts a proxy for the server of the URL, whose connections must be plain (sslmode=disable).
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

// URL returns the given URL with the proxy in place of its host.
func (p *Proxy) URL(server string) string {
	parsed, err := url.Parse(server)
	if err != nil {
		return server
	}
	parsed.Host = p.listener.Addr().String()
	return parsed.String()
}

// Take returns the counts since the last Take.
func (p *Proxy) Take() Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.counts
	p.counts = Counts{}
	return taken
}

// Close ends the proxy and all connections through it.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.mu.Lock()
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

// pass copies in both directions until either side ends.
func (p *Proxy) pass(client, server net.Conn) {
	talk := &talk{proxy: p, named: map[string]string{}, portals: map[string]string{}}
	p.mu.Lock()
	p.open[client], p.open[server] = struct{}{}, struct{}{}
	p.mu.Unlock()
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

// copyThrough passes each piece to the reader before it sends it on, so that an answer is never counted before its
// request.
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
