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
	probePrefix = "incoming/probe-" // what a killed process leaves there, the sweep of uploads removes
	probeSize   = 64 << 10          // less room than this is none
	probeAge    = 5 * time.Second
	probeWait   = 2 * time.Second
)

// health is what the last probe found, and a channel that is closed when the running probe ends, if one runs.
type health struct {
	mu      sync.Mutex
	at      time.Time
	err     error
	probing chan struct{}
}

// Probe writes a small file, reads it back and removes it. IsUnavailable knows the error of a storage that cannot do
// that.
func (s *Store) Probe(ctx context.Context) error {
	return trouble(ctx, s.place.probe(ctx))
}

// Free returns how many bytes the disk of a folder has left for the service; known is false for a bucket.
func (s *Store) Free() (bytes uint64, known bool) {
	f, isFolder := s.place.(*folder)
	if !isFolder {
		return 0, false
	}
	return freeBytes(f.Name())
}

// Healthy returns what Probe would, for callers that ask often: the result may be some seconds old, and Healthy does
// not wait for a storage that does not answer at all.
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

// probeAnew starts a probe where the last one is too old. It returns the end of the running probe, or else what the
// last one found.
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
