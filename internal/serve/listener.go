package serve

import (
	"cmp"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Limits bound the connections of a listener. 0 for Total or PerAddress means no limit.
type Limits struct {
	Total      int
	PerAddress int            // of one client; IPv6 addresses count by their /64
	Proxies    []netip.Prefix // whose connections are those of many clients: PerAddress does not hold for them
	Refusal    []byte         // the whole HTTP response that one connection too many gets before it is closed
	Refused    func()         // called for each refused connection; may be nil
	Write      time.Duration  // how long a client may take to read 64 KiB of an answer; 30 s if 0
}

const (
	writeLimit = 30 * time.Second
	writeChunk = 64 << 10
	// refusalLimit and refusalsAtOnce bound what is done for connections that are refused.
	refusalLimit   = time.Second
	refusalsAtOnce = 64
)

// Listen returns a listener on l whose connections keep within the limits. A client that does not read its answer in
// time gets no more of it: Write then returns an error.
func Listen(l net.Listener, limits Limits) net.Listener {
	limits.Write = cmp.Or(limits.Write, writeLimit)
	return &listener{
		Listener: l, limits: limits, open: map[netip.Addr]int{}, refusals: make(chan struct{}, refusalsAtOnce),
	}
}

type listener struct {
	net.Listener

	limits   Limits
	refusals chan struct{}

	mu    sync.Mutex
	total int
	open  map[netip.Addr]int
}

// Accept implements net.Listener. It returns connections that are within the limits, and refuses others.
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := l.clientOf(accepted)
		if l.enter(from) {
			return &conn{Conn: accepted, limit: l.limits.Write, leave: sync.OnceFunc(func() { l.leave(from) })}, nil
		}
		l.refuse(accepted)
	}
}

// clientOf returns the address that a connection is counted for: for IPv6 the /64 network, and the zero address if the
// client is a trusted proxy or not known.
func (l *listener) clientOf(c net.Conn) netip.Addr {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	from := tcp.AddrPort().Addr().Unmap().WithZone("")
	for _, proxy := range l.limits.Proxies {
		if proxy.Contains(from) {
			return netip.Addr{}
		}
	}
	if from.Is6() {
		if network, err := from.Prefix(64); err == nil {
			return network.Addr()
		}
	}
	return from
}

// enter reports whether another connection of this client is within the limits. If so, the connection counts until
// leave is called.
func (l *listener) enter(from netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limits.Total > 0 && l.total >= l.limits.Total {
		return false
	}
	if from.IsValid() && l.limits.PerAddress > 0 && l.open[from] >= l.limits.PerAddress {
		return false
	}
	l.total++
	l.open[from]++
	return true
}

func (l *listener) leave(from netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if l.open[from]--; l.open[from] == 0 {
		delete(l.open, from)
	}
}

// refuse calls limits.Refused, and answers with limits.Refusal and closes the connection in another goroutine. That one
// waits, at most refusalLimit, for the client to read the answer: if the connection were closed while bytes of the
// client are unread, the system would reset it and drop the answer. While refusalsAtOnce connections are being
// answered, refuse closes further ones without an answer.
func (l *listener) refuse(c net.Conn) {
	if l.limits.Refused != nil {
		l.limits.Refused()
	}
	select {
	case l.refusals <- struct{}{}:
	default: // a flood is not worth an answer
		_ = c.Close()
		return
	}
	go func() {
		defer func() { <-l.refusals }()
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(refusalLimit))
		if _, err := c.Write(l.limits.Refusal); err != nil {
			return
		}
		if half, ok := c.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
		var rest [4 << 10]byte
		for {
			if _, err := c.Read(rest[:]); err != nil {
				return
			}
		}
	}()
}

// conn is a connection whose writes have deadlines. The deadlines of reads are those that net/http and the handlers
// set. Close frees its place in the listener.
type conn struct {
	net.Conn

	leave   func()
	limit   time.Duration
	writeBy time.Time // the deadline that holds
}

// Write implements net.Conn. The client must read each chunk within its time limit. A deadline is renewed once half of
// it is over, so that most answers on a connection in use set none: the time for a chunk is between half the limit and
// the limit.
func (c *conn) Write(p []byte) (int, error) {
	written := 0
	for {
		chunk := p[written:min(len(p), written+writeChunk)]
		if now := time.Now(); c.writeBy.Sub(now) < c.limit/2 {
			c.writeBy = now.Add(c.limit)
			if err := c.SetWriteDeadline(c.writeBy); err != nil {
				return written, err
			}
		}
		n, err := c.Conn.Write(chunk)
		written += n
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// CloseWrite lets net/http end a connection so that the client still reads the last answer. It does nothing if the
// connection cannot be closed for writing alone.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close implements net.Conn. It frees the connection's place in the listener; only the first call does.
func (c *conn) Close() error {
	c.leave()
	return c.Conn.Close()
}
