package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"

	"dealflow/internal/fault"
)

const (
	incomingPrefix = "incoming/" // the sweep of uploads removes what a killed process leaves there
	probePrefix    = incomingPrefix + "probe-"
	probeSize      = 64 << 10 // a disk with less room than this counts as full
	probeAge       = 5 * time.Second
	probeWait      = 2 * time.Second
)

// health is when the last probe ended and its error, and a channel that is closed when the running probe ends; nil if
// none runs.
type health struct {
	mu      sync.Mutex
	at      time.Time
	err     error
	probing chan struct{}
}

// Probe writes a small file, reads it back and removes it. If the storage cannot do that, IsUnavailable reports true
// for the error, unless ctx has ended.
func (s *Store) Probe(ctx context.Context) error {
	return trouble(ctx, s.backend.probe(ctx))
}

// Free returns how many bytes the disk of a folder has left for the service; known is false for a bucket, and if the
// system does not say.
func (s *Store) Free() (bytes uint64, known bool) {
	f, isFolder := s.backend.(*folder)
	if !isFolder {
		return 0, false
	}
	return freeBytes(f.Name())
}

// Healthy returns what Probe would, for callers that ask often: the result may be up to probeAge old. If the storage
// does not answer within probeWait, or before ctx ends, IsUnavailable reports true for the error.
func (s *Store) Healthy(ctx context.Context) error {
	probing, err := s.probeAnew(ctx)
	if probing == nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	select {
	case <-wait.Done():
		return fault.New(fault.Unavailable, codeUnavailable).Because(errors.New("the storage does not answer"))
	case <-probing:
		s.health.mu.Lock()
		defer s.health.mu.Unlock()
		return s.health.err
	}
}

// probeAnew starts a probe if the last one is too old. If a probe runs, it returns a channel that is closed when the
// probe ends; otherwise it returns nil and the error of the last one.
func (s *Store) probeAnew(ctx context.Context) (<-chan struct{}, error) {
	h := &s.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.probing != nil || time.Since(h.at) < probeAge {
		return h.probing, h.err
	}
	ended := make(chan struct{})
	h.probing = ended
	go func() {
		err := s.Probe(context.WithoutCancel(ctx))
		h.mu.Lock()
		defer h.mu.Unlock()
		h.at, h.err, h.probing = time.Now(), err, nil
		close(ended)
	}()
	return ended, nil
}

func probeKey() string { return probePrefix + strings.ToLower(rand.Text()) }
