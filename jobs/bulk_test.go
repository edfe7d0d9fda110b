package jobs_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/ingest/imports"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/work"
)

// receive imports count emails whose external ids begin with name. Jobs keep them afterwards.
func (s *setup) receive(t *testing.T, user, team uuid.UUID, name string, count int) imports.Import {
	t.Helper()
	begun, err := s.imports.Begin(t.Context(), user,
		imports.Request{ID: uuid.New(), AccountID: team, Kind: imports.KindEmails, Format: imports.FormatNDJSON})
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	for n := range count {
		fmt.Fprintf(&file, `{"external_id":"%s-%d","from_email":"ada@acme.example","content":"anvils of every kind"}`+"\n",
			name, n)
	}
	received, err := s.imports.Receive(t.Context(), begun, "r", nil, io.NopCloser(strings.NewReader(file.String())))
	if err != nil {
		t.Fatal(err)
	}
	return received
}

// ended waits until the import is over.
func (s *setup) ended(t *testing.T, it imports.Import) imports.Import {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		found, err := s.imports.Get(t.Context(), postgres.AsUser(it.CreatedBy), it.AccountID, it.ID)
		if err != nil {
			t.Fatal(err)
		}
		if found.Over() {
			return found
		}
		if time.Now().After(deadline) {
			t.Fatalf("the import is still %+v", found)
		}
	}
}

// TestImportsSurviveEveryDeath simulates the death of workers by claiming work and never finishing it, and that of
// Redis by emptying it.
func TestImportsSurviveEveryDeath(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Second)
	it := s.receive(t, s.user, s.team, "mail", 3500)
	// a worker that was killed
	dead, err := s.rows.Claim(t.Context(), work.Ref{ID: *it.WorkID, Attempt: 1}, 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	start(t, s.sweeper.Run)
	start(t, s.worker.Run)
	flushed := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer close(flushed)
		for ctx.Err() == nil {
			s.redis.FlushDB(ctx)
			time.Sleep(300 * time.Millisecond)
		}
	}()
	got := s.ended(t, it)
	stop()
	<-flushed
	if got.Status != imports.StatusCompleted || got.Total != 3500 || got.Created != 3500 || got.Processed != 3500 ||
		got.Failed+got.Duplicates != 0 {
		t.Errorf("it ended as %+v", got)
	}
	if n := testkit.Count(t, s.url, "emails"); n != 3500 {
		t.Errorf("%d emails, want 3500", n)
	}
	if item := s.item(t, dead.ID); item.State != work.Done || item.Attempt < 2 {
		t.Errorf("the work ended as %s in attempt %d", item.State, item.Attempt)
	}
}

// TestImportsOfAccountsTakeTurns lets an account send so much that its imports alone could occupy every worker.
func TestImportsOfAccountsTakeTurns(t *testing.T) {
	t.Parallel()
	const each = 400 // rows; many imports, so that the small one may lose a sweep on a busy machine and still be early
	s := newSetup(t, time.Minute)
	other := testkit.User(t, s.db, "Grace")
	team := testkit.Account(t, s.db, other.ID, "Other fund")
	var large []imports.Import
	for n := range 6 * work.Admitted {
		large = append(large, s.receive(t, s.user, s.team, fmt.Sprint(n), each))
	}
	small := s.receive(t, other.ID, team.ID, "small", 10)
	start(t, s.worker.Run)
	start(t, s.sweeper.Run)
	first := s.ended(t, small)
	later := 0 // of the large ones; by the database's clock, since a busy machine may see the end of the small one late
	for _, it := range large {
		got := s.ended(t, it)
		if got.Status != imports.StatusCompleted || got.Created != each {
			t.Errorf("it ended as %+v", got)
		}
		if got.FinishedAt.After(*first.FinishedAt) {
			later++
		}
	}
	// Those that were admitted before are first, and workers that do several at once may end some more.
	if later < work.Admitted/2 {
		t.Errorf("of the other account's %d imports only %d ended after the small one", len(large), later)
	}
}
