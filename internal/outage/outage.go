// Package outage knows which of the servers that a process needs do not answer. When a call to a server has failed, the
// package pings that server in the background until it answers. It logs once that the server does not answer and once
// that it answers again, in place of the errors of every caller.
package outage

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// pingPause is the time between pings of a server that does not answer.
	pingPause = 500 * time.Millisecond
	// mostHeld is how many log lines are held back while it is not known yet whether the server answers.
	mostHeld = 20
)

// Options describe a server. Is, Log and, except for Await, Ping are required.
type Options struct {
	Name  string
	Means string                      // the consequence of an outage for people, for the log
	Is    func(error) bool            // whether an error says that the server did not answer
	Ping  func(context.Context) error // calls the server, on a separate connection
	Limit time.Duration               // of one ping; 2 s when 0
	Log   *slog.Logger
}

// Server is the state of one server as this process knows it. It is safe for concurrent use. A nil *Server is one whose
// state is not known: Away returns false and Failed does nothing; other methods must not be called.
type Server struct {
	opts Options
	away atomic.Bool

	mu     sync.Mutex
	doubt  bool // watch runs
	since  time.Time
	held   []func()
	quiet  int // log lines that were dropped since doubt
	closed chan struct{}
	end    func()
}

// New returns a Server, which is considered to answer until a call fails. It pings nothing yet. Close must be called at
// the end.
func New(opts Options) *Server {
	if opts.Limit == 0 {
		opts.Limit = 2 * time.Second
	}
	s := &Server{opts: opts, closed: make(chan struct{})}
	s.end = sync.OnceFunc(func() { close(s.closed) })
	return s
}

// Close ends the pings, and does not wait for one that is running. Afterwards Failed does nothing, and a Logger writes
// every line. A second call does nothing.
func (s *Server) Close() { s.end() }

// Name returns the name of the server.
func (s *Server) Name() string { return s.opts.Name }

// Away reports whether the server is known not to answer: whether the last ping failed. A request to it would be a
// waste of time. Away does not block.
func (s *Server) Away() bool { return s != nil && s.away.Load() }

// Failed must be called with the error of a call to which the server did not answer. It begins to ping the server in
// the background, unless that has begun, and returns at once.
func (s *Server) Failed(err error) {
	if s != nil && !s.Away() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ask(err)
	}
}

// ask starts watch, unless it is running, and reports true. After Close it does nothing and reports false. The caller
// must hold s.mu.
func (s *Server) ask(cause error) bool {
	select {
	case <-s.closed:
		return false
	default:
	}
	if !s.doubt {
		s.doubt, s.since = true, time.Now()
		go s.watch(cause)
	}
	return true
}

// watch pings the server until it answers, or until Close is called and a ping fails. cause is the error that is logged
// if the server does not answer.
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

// lost records that the server does not answer, and logs it unless it was known before. Log lines that were held back
// are dropped.
func (s *Server) lost(cause error) {
	if !s.away.CompareAndSwap(false, true) {
		return
	}
	s.mu.Lock()
	s.quiet, s.held = s.quiet+len(s.held), nil
	s.mu.Unlock()
	s.opts.Log.Error("a server does not answer", "server", s.opts.Name, "means", s.opts.Means, "error", cause)
}

// answered records that the server answers. If it was known not to answer, answered logs that it does again, and how
// many lines were dropped. Otherwise the errors of callers had another cause: answered writes the log lines that were
// held back, and how many were dropped.
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
	if quiet > 0 {
		s.opts.Log.Warn("further errors of a server that answers were not logged", "server", s.opts.Name, "dropped", quiet)
	}
}

// absorb holds back the log line of a caller whose call failed; write must write the line, and is called if the server
// turns out to answer, or at once after Close. absorb drops the line if the server is known not to answer, or if
// mostHeld lines are held back.
func (s *Server) absorb(cause error, write func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ask(cause) {
		write()
		return
	}
	if s.away.Load() || len(s.held) == mostHeld {
		s.quiet++
		return
	}
	s.held = append(s.held, write)
}
