// Package outage knows which of the servers that a process needs are away. When a call to a server has failed it asks
// the server, in the background, until it answers, and logs each change of its state once, in place of the errors of
// every caller.
package outage

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// pingPause is between questions to a server that is away.
	pingPause = 500 * time.Millisecond
	// mostHeld is how many complaints are kept while it is not known yet whether the server is away.
	mostHeld = 20
)

// Options describe a server.
type Options struct {
	Name  string
	Means string                      // what it means for people that the server is away, for the log
	Is    func(error) bool            // whether an error says that the server did not answer
	Ping  func(context.Context) error // asks the server on its own, whatever others wait for
	Limit time.Duration               // of one question; 2 s when 0
	Log   *slog.Logger
}

// Server is the state of one server as a process knows it. It is safe for concurrent use. A nil *Server is one of which
// nothing is known.
type Server struct {
	opts Options
	away atomic.Bool

	mu     sync.Mutex
	doubt  bool // somebody asks the server
	since  time.Time
	held   []func()
	quiet  int // complaints that were left out
	closed chan struct{}
	end    func()
}

// New returns a server that is taken to answer. Close stops asking it.
func New(opts Options) *Server {
	if opts.Limit == 0 {
		opts.Limit = 2 * time.Second
	}
	s := &Server{opts: opts, closed: make(chan struct{})}
	s.end = sync.OnceFunc(func() { close(s.closed) })
	return s
}

// Close stops asking the server.
func (s *Server) Close() { s.end() }

// Name returns the name of the server.
func (s *Server) Name() string { return s.opts.Name }

// Away reports whether the server is known not to answer, so that asking it is a waste of time.
func (s *Server) Away() bool { return s != nil && s.away.Load() }

// Failed notes that the server did not answer a call. Whether it is away is found out in the background.
func (s *Server) Failed(err error) {
	if s != nil && !s.Away() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ask(err)
	}
}

// ask begins to ask the server, unless that goes on already. The lock is held.
func (s *Server) ask(cause error) {
	if s.doubt {
		return
	}
	s.doubt, s.since = true, time.Now()
	go s.watch(cause)
}

// watch asks until the server answers.
func (s *Server) watch(cause error) {
	for {
		ctx, cancel := context.WithTimeout(context.Background(), s.opts.Limit)
		err := s.opts.Ping(ctx)
		cancel()
		if err == nil {
			s.answered()
			return
		}
		s.lost(cause)
		select {
		case <-s.closed:
			return
		case <-time.After(pingPause):
		}
	}
}

// lost notes, once, that the server is away. Errors of callers that were held back are dropped then.
func (s *Server) lost(cause error) {
	if !s.away.CompareAndSwap(false, true) {
		return
	}
	s.mu.Lock()
	s.quiet, s.held = len(s.held), nil
	s.mu.Unlock()
	s.opts.Log.Error("a server does not answer", "server", s.opts.Name, "means", s.opts.Means, "error", cause)
}

// answered notes that the server answers: it was away and is back, or the callers' errors had another reason, and are
// logged.
func (s *Server) answered() {
	s.mu.Lock()
	held, quiet := s.held, s.quiet
	s.doubt, s.held, s.quiet = false, nil, 0
	s.mu.Unlock()
	if s.away.CompareAndSwap(true, false) {
		s.opts.Log.Info("a server answers again", "server", s.opts.Name, "after",
			time.Since(s.since).Round(time.Millisecond).String(), "complaints", quiet)
		return
	}
	for _, write := range held {
		write()
	}
}

// absorb holds back the log line of a caller whose call failed: it is written only if the server turns out to answer.
func (s *Server) absorb(cause error, write func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ask(cause)
	switch {
	case s.away.Load():
		s.quiet++
	case len(s.held) < mostHeld:
		s.held = append(s.held, write)
	}
}
