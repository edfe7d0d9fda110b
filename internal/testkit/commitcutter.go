package testkit

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// CommitCutter is a proxy in front of a Postgres server that can lose the response to a COMMIT: the server commits, and
// the client's connection breaks without a response. It is safe for concurrent use.
type CommitCutter struct {
	URL string // of the database, through the proxy

	server atomic.Pointer[string]
	pass   atomic.Int32
	cut    atomic.Int32
	down   atomic.Bool // after a cut nothing gets through
	closed atomic.Bool // refuses new connections

	mu    sync.Mutex
	conns map[net.Conn]bool // of clients
	sends int
	watch func(sends int)
}

// NewCommitCutter starts a proxy in front of the server of a postgres:// URL. It accepts connections until the test
// ends, and at first forwards everything.
func NewCommitCutter(tb testing.TB, databaseURL string) *CommitCutter {
	tb.Helper()
	target, err := url.Parse(databaseURL)
	if err != nil {
		tb.Fatalf("parse %q: %v", databaseURL, err)
	}
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = listener.Close() })
	cutter := &CommitCutter{conns: map[net.Conn]bool{}}
	cutter.Retarget(target.Host)
	target.Host = listener.Addr().String()
	cutter.URL = target.String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go cutter.serve(client)
		}
	}()
	return cutter
}

// Cut makes the proxy lose the responses to the next n commits.
func (c *CommitCutter) Cut(n int32) { c.CutAfter(0, n) }

// CutAfter makes the proxy forward the responses to the next pass commits, and lose those to the n commits after them.
func (c *CommitCutter) CutAfter(pass, n int32) {
	c.cut.Store(n)
	c.pass.Store(pass)
}

// CutOff makes the proxy forward the responses to the next pass commits, and lose that to the one after them. Then the
// proxy breaks all connections and refuses new ones until Open is called, so that the client cannot query whether the
// commit succeeded.
func (c *CommitCutter) CutOff(pass int32) {
	c.down.Store(true)
	c.CutAfter(pass, 1)
}

// Watch makes the proxy call do before it forwards each piece of data from a client to the server. sends is the number
// of pieces since Watch was called, from 1. Only the connection of the piece waits for do, which may be called for
// others meanwhile. A nil do ends the calls.
func (c *CommitCutter) Watch(do func(sends int)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sends, c.watch = 0, do
}

func (c *CommitCutter) count() {
	c.mu.Lock()
	c.sends++
	do, sends := c.watch, c.sends
	c.mu.Unlock()
	if do != nil {
		do(sends)
	}
}

// Close makes the proxy refuse new connections until Open is called. Present connections remain open.
func (c *CommitCutter) Close() { c.closed.Store(true) }

// Open makes the proxy accept connections again after Close or CutOff.
func (c *CommitCutter) Open() {
	c.down.Store(false)
	c.closed.Store(false)
}

// shut makes the proxy refuse new connections, and closes the present ones.
func (c *CommitCutter) shut() {
	c.closed.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		_ = conn.Close()
	}
}

// track registers a client's connection, which shut then closes. The caller must call forget when the connection has
// ended.
func (c *CommitCutter) track(client net.Conn) (forget func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns[client] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.conns, client)
	}
}

// Retarget makes new connections lead to another host:port, for a server that was started again elsewhere.
func (c *CommitCutter) Retarget(host string) { c.server.Store(&host) }

func (c *CommitCutter) serve(client net.Conn) {
	defer client.Close()
	defer c.track(client)()
	if c.closed.Load() {
		return
	}
	server, err := net.Dial("tcp", *c.server.Load()) //nolint:noctx // ends with either connection
	if err != nil {
		return
	}
	defer server.Close()
	var silent atomic.Bool
	go func() {
		defer server.Close()
		c.forward(server, client, &silent)
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		if silent.Load() && n > 0 { // the answer to COMMIT has arrived, so it is done
			if c.down.Load() {
				c.shut()
			}
			return
		}
		if n > 0 {
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// forward forwards the client's bytes, and sets silent at a COMMIT whose response must be lost. It does not notice a
// COMMIT that is divided between two reads.
func (c *CommitCutter) forward(server io.Writer, client io.Reader, silent *atomic.Bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if bytes.Contains(bytes.ToUpper(buffer[:n]), []byte("COMMIT\x00")) && c.pass.Add(-1) < 0 && c.cut.Add(-1) >= 0 {
			silent.Store(true)
		}
		if n > 0 {
			c.count()
			if _, err := server.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
