package work_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/work"
)

// told is a queue that remembers what was put into it.
type told struct {
	mu   sync.Mutex
	refs []work.Ref
	fail error
}

func (q *told) Enqueue(_ context.Context, ref work.Ref, _ time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.fail == nil {
		q.refs = append(q.refs, ref)
	}
	return q.fail
}

type setup struct {
	db      *postgres.DB
	url     string
	store   *work.Store
	queue   *told
	service *account.Service
	user    uuid.UUID
	team    uuid.UUID
}

func newSetup(t *testing.T) *setup {
	t.Helper()
	url := testkit.DatabaseURL(t)
	db := testkit.Open(t, url)
	s := &setup{db: db, url: url, queue: &told{}, service: account.New(db)}
	s.store = work.NewStore(db, s.queue, slog.New(slog.DiscardHandler))
	user, err := signin.New(s.db).CreateUser(t.Context(), "ada@fund.example", "Ada", "")
	if err != nil {
		t.Fatal(err)
	}
	team, err := s.service.Create(t.Context(), user.ID, "Fund", nil)
	if err != nil {
		t.Fatal(err)
	}
	s.user, s.team = user.ID, team.ID
	return s
}

func (s *setup) add(t *testing.T, attempts int) work.Ref {
	t.Helper()
	id := uuid.New()
	err := s.db.As(t.Context(), s.user, func(tx *postgres.Tx) error {
		return s.store.Add(tx, work.Item{
			ID: id, Kind: "test", Queue: work.Interactive, AccountID: s.team,
			MaxAttempts: attempts, Waiter: "w", Input: json.RawMessage(`{"a": 1}`),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return work.Ref{ID: id, Kind: "test", Queue: work.Interactive, Attempt: 1}
}

func (s *setup) claim(t *testing.T, ref work.Ref, lease time.Duration) work.Item {
	t.Helper()
	item, err := s.store.Claim(t.Context(), ref, lease)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	return item
}

func (s *setup) finish(t *testing.T, item work.Item) error {
	t.Helper()
	return s.db.As(t.Context(), item.UserID, func(tx *postgres.Tx) error {
		return work.Finish(tx, item,
			map[string]int{"b": 2})
	})
}

func (s *setup) get(t *testing.T, id uuid.UUID) work.Item {
	t.Helper()
	var item work.Item
	err := s.db.As(t.Context(), s.user, func(tx *postgres.Tx) (err error) {
		item, err = work.Get(tx, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return item
}

func TestWorkIsToldAfterTheCommitAndDoneOnce(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	ref := s.add(t, 3)
	if !slices.Equal(s.queue.refs, []work.Ref{ref}) {
		t.Fatalf("the queue was told %v, want %v", s.queue.refs, ref)
	}
	item := s.claim(t, ref, time.Minute)
	if item.UserID != s.user || item.State != work.Running || string(item.Input) != `{"a": 1}` || item.Waiter != "w" {
		t.Errorf("claimed %+v", item)
	}
	if _, err := s.store.Claim(t.Context(), ref, time.Minute); !errors.Is(err, work.ErrTaken) {
		t.Errorf("a second claim: %v, want ErrTaken", err)
	}
	if err := s.finish(t, item); err != nil {
		t.Fatal(err)
	}
	if err := s.finish(t, item); !errors.Is(err, work.ErrLost) {
		t.Errorf("a second finish: %v, want ErrLost", err)
	}
	if done := s.get(t, ref.ID); done.State != work.Done || string(done.Result) != `{"b": 2}` || done.FinishedAt == nil {
		t.Errorf("finished row %+v", done)
	}
}

func TestWhatGoesWithAClaimRunsAsTheUserOfTheWork(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	ref := s.add(t, 3)
	ask := func(want string) {
		t.Helper()
		var user string
		_, err := s.store.Claim(t.Context(), ref, time.Minute,
			postgres.Value(&user, "SELECT user_id::text FROM work WHERE id = $1", ref.ID))
		if (want == "") != errors.Is(err, work.ErrTaken) || user != want {
			t.Errorf("the work was seen as that of %q, %v; want %q", user, err, want)
		}
	}
	ask(s.user.String())
	ask("") // it is taken
}

func TestRolledBackWorkIsNotTold(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	refused := errors.New("refused")
	err := s.db.As(t.Context(), s.user, func(tx *postgres.Tx) error {
		if err := s.store.Add(tx, work.Item{
			Kind: "test", Queue: work.Interactive, AccountID: s.team,
			MaxAttempts: 1,
		}); err != nil {
			return err
		}
		return refused
	})
	if !errors.Is(err, refused) || len(s.queue.refs) != 0 {
		t.Errorf("error %v, told %v", err, s.queue.refs)
	}
}

func TestUntoldWorkIsFoundBySweep(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.queue.fail = errors.New("redis is down")
	ref := s.add(t, 3)
	if found, err := s.store.Due(t.Context(), time.Hour, 10); err != nil || len(found) != 0 {
		t.Errorf("a row that was just told of is due: %v, %v", found, err)
	}
	found, err := s.store.Due(t.Context(), 0, 10)
	if err != nil || len(found) != 1 || found[0].Ref != ref || found[0].Ended {
		t.Fatalf("Due = %v, %v; want %v", found, err, ref)
	}
}

func TestDeadWorkersAttemptGoesToAnother(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	lost := s.claim(t, s.add(t, 2), time.Millisecond)
	time.Sleep(5 * time.Millisecond)
	found, err := s.store.Due(t.Context(), 0, 10)
	if err != nil || len(found) != 1 || found[0].Attempt != 2 || found[0].ID != lost.ID {
		t.Fatalf("Due = %v, %v; want the second attempt of %v", found, err, lost.ID)
	}
	if err := s.store.Extend(t.Context(), lost.Ref(), time.Minute); !errors.Is(err, work.ErrLost) {
		t.Errorf("the dead worker's Extend: %v, want ErrLost", err)
	}
	if err := s.finish(t, lost); !errors.Is(err, work.ErrLost) {
		t.Errorf("the dead worker's Finish: %v, want ErrLost", err)
	}
	if _, err := s.store.Fail(t.Context(), lost, errors.New("late")); !errors.Is(err, work.ErrLost) {
		t.Errorf("the dead worker's Fail: %v, want ErrLost", err)
	}
	if err := s.store.HandOver(t.Context(), lost); !errors.Is(err, work.ErrLost) {
		t.Errorf("the dead worker's HandOver: %v, want ErrLost", err)
	}
}

func TestLeaseIsKept(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	item := s.claim(t, s.add(t, 2), 20*time.Millisecond)
	if err := s.store.Extend(t.Context(), item.Ref(), time.Minute); err != nil {
		t.Fatal(err)
	}
	time.Sleep(30 * time.Millisecond)
	if found, err := s.store.Due(t.Context(), 0, 10); err != nil || len(found) != 0 {
		t.Errorf("work with a lease is due: %v, %v", found, err)
	}
}

func TestRenewMakesAnotherAttempt(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	ref := s.add(t, 1)
	if err := s.store.Renew(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.Claim(t.Context(), ref, time.Minute); !errors.Is(err, work.ErrTaken) {
		t.Errorf("the old task claims: %v, want ErrTaken", err)
	}
	ref.Attempt++
	s.claim(t, ref, time.Minute)
}

func TestOwnerFinishesWhatAMemberLeft(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	bob, err := signin.New(s.db).CreateUser(t.Context(), "bob@fund.example", "Bob", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.service.AddMember(t.Context(), s.team, bob.ID, account.RoleMember); err != nil {
		t.Fatal(err)
	}
	owner := s.user
	s.user = bob.ID
	ref := s.add(t, 1)
	testkit.Exec(t, s.url, "DELETE FROM memberships WHERE user_id = $1", bob.ID)
	item := s.claim(t, ref, time.Minute)
	if item.UserID != owner {
		t.Errorf("the work runs as %v, want the owner %v", item.UserID, owner)
	}
	if err := s.finish(t, item); err != nil {
		t.Errorf("the owner's finish: %v", err)
	}
}

func TestSettledAndForget(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	open, done, unknown := s.add(t, 1), s.add(t, 1), uuid.New()
	if err := s.finish(t, s.claim(t, done, time.Minute)); err != nil {
		t.Fatal(err)
	}
	settled, err := s.store.Ended(t.Context(), []string{open.ID.String(), done.ID.String(), unknown.String()})
	want := []string{done.ID.String()}
	if err != nil || !slices.Equal(settled, want) {
		t.Errorf("Settled = %v, %v; want %v", settled, err, want)
	}
	if n, err := s.store.Forget(t.Context(), time.Hour, 0); err != nil || n != 0 {
		t.Errorf("Forget of what is an hour old = %d, %v", n, err)
	}
	if n, err := s.store.Forget(t.Context(), 0, time.Hour); err != nil || n != 1 {
		t.Errorf("Forget of all = %d, %v; want 1", n, err)
	}
	s.get(t, open.ID)
}
