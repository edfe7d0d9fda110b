package imports_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dealflow/internal/fault"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/testkit"
)

// turns admits uploads after it has refused the first ones. It counts the turns that it has given, and those that are
// not given back.
type turns struct{ refuse, given, out atomic.Int64 }

func (n *turns) take(context.Context) (func(), error) {
	if n.refuse.Add(-1) >= 0 {
		return nil, fault.New(fault.Unavailable, "overloaded")
	}
	n.given.Add(1)
	n.out.Add(1)
	return func() { n.out.Add(-1) }, nil
}

// Each batch waits for its turn, and an import is not given up where that takes long.
func TestBatchesWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	s.service = imports.New(imports.Deps{
		DB: s.DB, Blobs: s.blobs, Work: s.work, Logger: slog.New(slog.DiscardHandler), Heartbeat: time.Millisecond,
		Patience: time.Millisecond,
	})
	var n turns
	n.refuse.Store(5)
	begun := s.begin(t, imports.KindEmails, imports.FormatNDJSON)
	body := io.NopCloser(strings.NewReader(mailRows(0, 2500)))
	if _, err := s.service.Receive(t.Context(), begun, "r", n.take, body); err != nil {
		t.Fatal(err)
	}
	s.write(t)
	want(t, "after the others", s.get(t, begun.ID), "completed 2500/2500: 2500+0+0")
	if n.given.Load() < 3 || n.out.Load() != 0 {
		t.Errorf("%d turns were taken and %d not given back, want 3 batches and none", n.given.Load(), n.out.Load())
	}
}

// TestAReceiverLivesWhileABatchIsStored has a batch take long to be stored, and the sweep look for lost receivers.
func TestAReceiverLivesWhileABatchIsStored(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	s.service = imports.New(imports.Deps{
		DB: s.DB, Blobs: s.blobs, Work: s.work, Logger: slog.New(slog.DiscardHandler), Heartbeat: 10 * time.Millisecond,
	})
	slow := func(context.Context) (func(), error) {
		testkit.Exec(t, s.URL, "UPDATE imports SET seen_at = now() - interval '1 minute'")
		s.await(t, "a sign of life", "SELECT id::text FROM imports WHERE seen_at > now() - interval '30 seconds'")
		_, err := s.writer.EndLost(t.Context())
		return func() {}, err
	}
	begun := s.begin(t, imports.KindEmails, imports.FormatNDJSON)
	body := io.NopCloser(strings.NewReader(mailRows(0, 1500)))
	if _, err := s.service.Receive(t.Context(), begun, "r", slow, body); err != nil {
		t.Fatal(err)
	}
	s.write(t)
	want(t, "after all", s.get(t, begun.ID), "completed 1500/1500: 1500+0+0")
}
