package work_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/work"
)

// addBulk adds so many bulk items, of a rank.
func (s *setup) addBulk(t *testing.T, count, rank int) []work.Item {
	t.Helper()
	items := make([]work.Item, count)
	for i := range items {
		items[i] = work.Item{
			ID: uuid.New(), Kind: fmt.Sprint("rank", rank), Queue: work.Bulk, AccountID: s.team,
			MaxAttempts: 2, Rank: rank,
		}
	}
	if err := s.db.As(t.Context(), s.user, func(tx *postgres.Tx) error { return s.store.Add(tx, items...) }); err != nil {
		t.Fatal(err)
	}
	return items
}

func TestOfBulkWorkAFewAreToldAtATime(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.addBulk(t, 1200, 1)
	if len(s.queue.refs) != work.Admitted {
		t.Fatalf("the queue was told of %d, want %d", len(s.queue.refs), work.Admitted)
	}
	first := s.addBulk(t, 1, 0)[0]
	if found, err := s.store.Due(t.Context(), 0, 5000); err != nil || len(found) != work.Admitted {
		t.Errorf("the sweep tells of %d, %v: what waits is not its business", len(found), err)
	}
	if err := s.store.Admit(t.Context()); err != nil || len(s.queue.refs) != work.Admitted {
		t.Errorf("without room %d were told, %v", len(s.queue.refs), err)
	}
	item := s.claim(t, s.queue.refs[0], time.Minute)
	if err := s.finish(t, item); err != nil {
		t.Fatal(err)
	}
	s.store.AdmitOf(t.Context(), s.team)
	if last := s.queue.refs[len(s.queue.refs)-1]; len(s.queue.refs) != work.Admitted+1 || last.ID != first.ID {
		t.Errorf("told was %v, want the one of the lowest rank", last)
	}
}

func TestAccountsAreAdmittedBesideEachOther(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.queue.fail = errors.New("redis is down")
	s.addBulk(t, 50, 0)
	other, err := s.service.Create(t.Context(), s.user, "Other", nil)
	if err != nil {
		t.Fatal(err)
	}
	mine := s.team
	s.team = other.ID
	s.addBulk(t, 3, 0)
	testkit.Exec(t, s.url, "UPDATE work SET told_at = NULL")
	s.queue.fail = nil
	if err := s.store.Admit(t.Context()); err != nil {
		t.Fatal(err)
	}
	told := map[uuid.UUID]int{}
	for _, ref := range s.queue.refs {
		told[s.get(t, ref.ID).AccountID]++
	}
	if told[mine] != work.Admitted || told[other.ID] != 3 {
		t.Errorf("told were %v", told)
	}
}

// TestNoPlanAdmitsMoreThanThereIsRoomFor forbids the planner whatever it uses to read the items to be admitted once. A
// plan that read them for each row of the table locked and admitted others each time.
func TestNoPlanAdmitsMoreThanThereIsRoomFor(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.queue.fail = errors.New("redis is down")
	s.addBulk(t, 50, 0)
	testkit.Exec(t, s.url, "UPDATE work SET told_at = NULL")
	testkit.Exec(t, s.url, fmt.Sprintf(`SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;
		SET LOCAL enable_hashagg = off; SET LOCAL enable_material = off; SET LOCAL enable_memoize = off;
		SELECT count(*) FROM app_admit_work(NULL, %d)`, work.Admitted))
	if told := testkit.Count(t, s.url, "work WHERE told_at IS NOT NULL"); told != work.Admitted {
		t.Errorf("%d were admitted, want %d", told, work.Admitted)
	}
}

func TestALongPieceGoesOnBehindTheOthers(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.addBulk(t, 1, 0)
	if waits, err := s.store.Waits(t.Context()); err != nil || !waits {
		t.Errorf("Waits = %v, %v", waits, err)
	}
	testkit.Exec(t, s.url, "UPDATE work SET failures = 3, losses = 3")
	item := s.claim(t, s.queue.refs[0], time.Minute)
	if waits, err := s.store.Waits(t.Context()); err != nil || waits {
		t.Errorf("with nothing but what runs Waits = %v, %v", waits, err)
	}
	hold := func() error {
		return s.db.As(t.Context(), s.user, func(tx *postgres.Tx) error { return work.Progress(tx, item) })
	}
	if err, held := hold(), s.get(t, item.ID); err != nil || held.Failures != 0 || held.Losses != 0 {
		t.Errorf("progress: %v, then %+v", err, held)
	}
	if err := s.store.Again(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	next := s.get(t, item.ID)
	if next.State != work.Queued || next.Attempt != 2 || len(s.queue.refs) != 2 {
		t.Errorf("queued again as %+v, told %v", next, s.queue.refs)
	}
	if err := hold(); !errors.Is(err, work.ErrLost) {
		t.Errorf("the former attempt holds: %v", err)
	}
	if err := s.store.Again(t.Context(), item); !errors.Is(err, work.ErrLost) {
		t.Errorf("again by the former attempt: %v", err)
	}
}
