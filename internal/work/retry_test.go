package work_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/testkit"
	"dealflow/internal/work"
)

// next claims the row's present attempt, whatever it waits for.
func (s *setup) next(t *testing.T, id uuid.UUID, lease time.Duration) work.Item {
	t.Helper()
	testkit.Exec(t, s.url, "UPDATE work SET run_after = now() WHERE state = 'queued'")
	return s.claim(t, s.get(t, id).Ref(), lease)
}

// lose claims the row's present attempt, lets its lease run out, and sweeps.
func (s *setup) lose(t *testing.T, id uuid.UUID) []work.Found {
	t.Helper()
	s.next(t, id, time.Millisecond)
	time.Sleep(3 * time.Millisecond)
	found, err := s.store.Due(t.Context(), time.Hour, 10)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestFailuresEndTheWorkAndTheLastIsKept(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.add(t, 2).ID
	over, err := s.store.Fail(t.Context(), s.next(t, id, time.Minute), errors.New("index out of range"))
	if err != nil || over {
		t.Fatalf("the first Fail = %v, %v", over, err)
	}
	if row := s.get(t, id); row.State != work.Queued || row.Failures != 1 || *row.Error != "index out of range" ||
		!row.RunAfter.After(time.Now()) {
		t.Errorf("after the first failure %+v", row)
	}
	if told := s.queue.refs[len(s.queue.refs)-1]; told.Attempt != 2 {
		t.Errorf("the queue was told %+v, want attempt 2", told)
	}
	if err := s.store.Interrupt(t.Context(), s.next(t, id, time.Minute), errors.New("connection refused")); err != nil {
		t.Fatal(err)
	}
	over, err = s.store.Fail(t.Context(), s.next(t, id, time.Minute), errors.New("index out of range again"))
	if err != nil || !over {
		t.Fatalf("the last Fail = %v, %v", over, err)
	}
	if row := s.get(t, id); row.State != work.Failed || *row.Error != "index out of range again" || row.FinishedAt == nil {
		t.Errorf("row %+v", row)
	}
}

func TestOutagesAndStopsUseUpNoAttempt(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.add(t, 1).ID
	for range 30 {
		if err := s.store.Interrupt(t.Context(), s.next(t, id, time.Minute), errors.New("connection refused")); err != nil {
			t.Fatal(err)
		}
		if err := s.store.HandOver(t.Context(), s.next(t, id, time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	row := s.get(t, id)
	if row.State != work.Queued || row.Outages != 30 || row.Failures != 0 || row.Error != nil ||
		row.RunAfter.After(time.Now()) {
		t.Errorf("row %+v", row)
	}
	if err := s.finish(t, s.next(t, id, time.Minute)); err != nil {
		t.Error(err)
	}
}

func TestAnInterruptedFailureKeepsItsDelayBounded(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.add(t, 9).ID
	testkit.Exec(t, s.url, "UPDATE work SET outages = 4000, failures = 5")
	for _, c := range []struct {
		release  func(work.Item) error
		from, to time.Duration
	}{
		{
			func(item work.Item) error { return s.store.Interrupt(t.Context(), item, errors.New("away")) }, 7 * time.Second,
			15 * time.Second,
		},
		{
			func(item work.Item) error { _, err := s.store.Fail(t.Context(), item, errors.New("bad")); return err },
			15 * time.Second, 32 * time.Second,
		},
	} {
		if err := c.release(s.next(t, id, time.Minute)); err != nil {
			t.Fatal(err)
		}
		if wait := time.Until(s.get(t, id).RunAfter); wait < c.from-2*time.Second || wait > c.to {
			t.Errorf("the next attempt is after %s, want %s to %s", wait, c.from, c.to)
		}
	}
}

func TestDeadWorkersEndTheWorkAtLast(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.add(t, 1).ID
	for n := range 19 {
		if found := s.lose(t, id); slices.ContainsFunc(found, func(f work.Found) bool { return f.Ended }) {
			t.Fatalf("the loss %d ended the work", n+1)
		}
	}
	if row := s.get(t, id); row.State != work.Queued || row.Losses != 19 || row.Failures != 0 ||
		time.Until(row.RunAfter) < 8*time.Second {
		t.Errorf("after 19 losses %+v", row)
	}
	found := s.lose(t, id)
	if len(found) != 1 || !found[0].Ended || found[0].Waiter != "w" {
		t.Errorf("after the last loss Due = %v, want it settled", found)
	}
	if row := s.get(t, id); row.State != work.Failed || row.Error == nil || *row.Error != "its worker died 20 times" {
		t.Errorf("row %+v, want failed", row)
	}
}

func TestALeaseThatRanOutBeforeTheServerStartedIsNoLoss(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.add(t, 1).ID
	s.next(t, id, time.Minute)
	testkit.Exec(t, s.url, "UPDATE work SET losses = 19, lease_until = pg_postmaster_start_time() - interval '1 second'")
	if _, err := s.store.Due(t.Context(), 0, 10); err != nil {
		t.Fatal(err)
	}
	if row := s.get(t, id); row.State != work.Queued || row.Losses != 19 {
		t.Errorf("row %+v", row)
	}
}

func TestBulkWorkWaitsOutsideTheQueueBetweenAttempts(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.addBulk(t, 1, 0)
	item := s.claim(t, s.queue.refs[0], time.Minute)
	if _, err := s.store.Fail(t.Context(), item, errors.New("bad")); err != nil {
		t.Fatal(err)
	}
	if row := s.get(t, item.ID); row.ToldAt != nil || len(s.queue.refs) != 1 {
		t.Errorf("row %+v, told %v", row, s.queue.refs)
	}
	testkit.Exec(t, s.url, "UPDATE work SET run_after = now()")
	if err := s.store.Admit(t.Context()); err != nil || len(s.queue.refs) != 2 || s.queue.refs[1].Attempt != 2 {
		t.Errorf("Admit: %v, told %v", err, s.queue.refs)
	}
}

func TestOperatorsListAndRetry(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	failed, queued := s.add(t, 1), s.add(t, 1)
	if over, err := s.store.Fail(t.Context(), s.claim(t, failed, time.Minute), errors.New("bad")); err != nil || !over {
		t.Fatal(over, err)
	}
	listed, err := s.store.List(t.Context(), work.Failed, 10)
	if err != nil || len(listed) != 1 || listed[0].ID != failed.ID || *listed[0].Error != "bad" ||
		listed[0].AccountID != s.team {
		t.Errorf("List of failed = %+v, %v", listed, err)
	}
	if listed, err := s.store.List(t.Context(), "", 10); err != nil || len(listed) != 2 {
		t.Errorf("List = %+v, %v", listed, err)
	}
	if retried, err := s.store.Retry(t.Context(), queued.ID); err != nil || len(retried) != 0 {
		t.Errorf("Retry of what is queued = %v, %v", retried, err)
	}
	if retried, err := s.store.Retry(t.Context(), uuid.Nil); err != nil || !slices.Equal(retried, []uuid.UUID{failed.ID}) {
		t.Errorf("Retry of all = %v, %v", retried, err)
	}
	if row := s.get(t, failed.ID); row.State != work.Queued || row.Failures != 0 || row.Attempt != 2 ||
		*row.Error != "bad" {
		t.Errorf("row %+v", row)
	}
	if err := s.finish(t, s.next(t, failed.ID, time.Minute)); err != nil || s.get(t, failed.ID).Error != nil {
		t.Errorf("finish: %v, row %+v", err, s.get(t, failed.ID))
	}
}
