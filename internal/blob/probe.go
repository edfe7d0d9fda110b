package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
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

// health is what the last probe found, and the end of the one that runs, if one does.
type health struct {
	mu      sync.Mutex
	at      time.Time
	err     error
	probing chan struct{}
}

// Probe writes a small file, reads it back and removes it. IsUnavailable knows the error of a storage that cannot do
// that.
func (s *Store) Probe(ctx context.Context) error {
	if !s.isFolder() {
		return s.probeBucket(ctx)
	}
	if s.isGone() {
		return trouble(ctx, fmt.Errorf("the storage folder %s is not there any more: mount it again", s.folder.Name()))
	}
	return trouble(ctx, s.folder.probe())
}

// Healthy is Probe for those who ask often: its answer may be some seconds old, and a storage that does not answer at
// all is not waited for.
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

// probeAnew starts a probe where the last one is too old, and returns the end of the one that runs, or else what the
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

func (s *Store) probeBucket(ctx context.Context) error {
	key, content := probeKey(), make([]byte, probeSize)
	if err := s.bucket.WriteAll(ctx, key, content, nil); err != nil {
		return trouble(ctx, fmt.Errorf("write to the storage: %w", err))
	}
	if _, err := s.bucket.ReadAll(ctx, key); err != nil {
		return trouble(ctx, fmt.Errorf("read from the storage: %w", err))
	}
	return s.Delete(ctx, key)
}

// probe does not sync what it removes again: a full disk, and one that cannot be written, say so before.
func (f folder) probe() error {
	temporary, err := f.writeBeside(probeKey(), bytes.NewReader(make([]byte, probeSize)), false)
	if err != nil {
		return err
	}
	_, err = f.ReadFile(temporary)
	if removed := f.Remove(temporary); err == nil {
		err = removed
	}
	return err
}

func probeKey() string { return probePrefix + strings.ToLower(rand.Text()) }
