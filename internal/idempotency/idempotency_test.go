package idempotency_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/idempotency"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

const key = "a-key"

func fingerprint() []byte { return []byte("fingerprint") }

// begin takes the key, and fails the test where that fails.
func begin(t *testing.T, s *idempotency.Store, user uuid.UUID) (*idempotency.Attempt, idempotency.Key) {
	t.Helper()
	attempt, stands, err := s.Begin(t.Context(), user, key)
	if err != nil || attempt == nil {
		t.Fatalf("Begin = %v, %+v, %v", attempt, stands, err)
	}
	return attempt, stands
}

// refused fails the test unless the key is in use.
func refused(t *testing.T, s *idempotency.Store, user uuid.UUID) {
	t.Helper()
	attempt, _, err := s.Begin(t.Context(), user, key)
	var f *fault.Error
	if attempt != nil || !errors.As(err, &f) || f.Kind != fault.Conflict || f.Code != "idempotency_key_in_use" {
		t.Fatalf("Begin of a key in use = %v, %v", attempt, err)
	}
}

// write makes a company in the context of an attempt.
func write(ctx context.Context, team *testkit.Team) error {
	return team.DB.As(ctx, team.Owner, func(tx *postgres.Tx) error {
		return tx.Exec("INSERT INTO companies (id, account_id, name, visibility, source, created_by, updated_by) VALUES "+
			"(?, ?, 'Acme', 'team', 'manual', ?, ?)",
			uuid.New(), team.ID, team.Owner, team.Owner).Error
	})
}

func read(ctx context.Context, team *testkit.Team) error {
	return team.DB.As(ctx, team.Owner, func(tx *postgres.Tx) error {
		return tx.Exec("SELECT count(*) FROM companies").Error
	})
}

func TestAKeptAnswerIsGivenAgain(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	s := idempotency.NewStore(team.DB, 0)
	attempt, _ := begin(t, s, team.Owner)
	refused(t, s, team.Owner)
	answer := idempotency.Answer{Status: 201, ContentType: "application/json", Body: []byte("{\"a\":\"\\u0000é\"}\n")}
	if err := attempt.Keep(answer, fingerprint()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		again, kept, err := s.Begin(t.Context(), team.Owner, key)
		if err != nil || again != nil || kept.State != idempotency.Answered {
			t.Fatalf("Begin after an answer = %v, %+v, %v", again, kept, err)
		}
		if *kept.Status != 201 || *kept.ContentType != "application/json" || !bytes.Equal(kept.Body, answer.Body) ||
			!bytes.Equal(kept.Fingerprint, fingerprint()) {
			t.Errorf("kept %+v", kept)
		}
	}
	begin(t, s, team.Member) // the same words of another user are another key
}

func TestOnlyOneOfManyGetsAKey(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	s := idempotency.NewStore(team.DB, 0)
	var group sync.WaitGroup
	var got atomic.Int32
	for range 20 {
		group.Go(func() {
			if attempt, _, err := s.Begin(t.Context(), team.Owner, key); attempt != nil {
				got.Add(1)
			} else if !fault.Is(err, fault.Conflict) {
				t.Errorf("Begin = %v", err)
			}
		})
	}
	group.Wait()
	if got.Load() != 1 {
		t.Errorf("%d got the key", got.Load())
	}
}

func TestWhatBecomesOfAReleasedKey(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	tests := map[string]struct {
		do   func(context.Context, *testkit.Team) error
		want string
	}{
		"nothing done": {func(context.Context, *testkit.Team) error { return nil }, idempotency.Running},
		"only read":    {read, idempotency.Running},
		"written":      {write, idempotency.Committed},
		"read, then written twice": {func(ctx context.Context, team *testkit.Team) error {
			return errors.Join(read(ctx, team), write(ctx, team), write(ctx, team))
		}, idempotency.Committed},
		"rolled back": {func(ctx context.Context, team *testkit.Team) error {
			err := team.DB.As(ctx, team.Owner, func(tx *postgres.Tx) error {
				return errors.Join(tx.Exec("UPDATE accounts SET name = 'Other'").Error, broken)
			})
			if !errors.Is(err, broken) {
				return err
			}
			return nil
		}, idempotency.Running},
		"as another user": {func(ctx context.Context, team *testkit.Team) error {
			return team.DB.As(ctx, team.Stranger,
				func(tx *postgres.Tx) error { return tx.Exec("UPDATE accounts SET name = 'Other'").Error })
		}, idempotency.Running},
		"after the thing": {func(ctx context.Context, team *testkit.Team) error {
			return write(idempotency.Without(ctx), team)
		}, idempotency.Running},
		"repeatable": {func(ctx context.Context, team *testkit.Team) error {
			idempotency.Repeatable(ctx)
			return write(ctx, team)
		}, idempotency.Running},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			team := testkit.NewTeam(t)
			s := idempotency.NewStore(team.DB, 0)
			attempt, _ := begin(t, s, team.Owner)
			ctx := attempt.Context(t.Context(), fingerprint)
			idempotency.Remember(ctx, map[string]string{"company": "one"})
			if err := tc.do(ctx, team); err != nil {
				t.Fatal(err)
			}
			refused(t, s, team.Owner)
			if err := attempt.Release(); err != nil {
				t.Fatal(err)
			}
			_, stands := begin(t, s, team.Owner)
			if stands.State != tc.want {
				t.Fatalf("the key is %s, want %s", stands.State, tc.want)
			}
			if tc.want == idempotency.Committed &&
				(!bytes.Equal(stands.Fingerprint, fingerprint()) || string(stands.Reference) != `{"company": "one"}`) {
				t.Errorf("committed with %s, %s", stands.Fingerprint, stands.Reference)
			}
		})
	}
}

func TestALivingRequestKeepsItsKeyAndALostOneDoesNot(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	s := idempotency.NewStore(team.DB, 2*time.Second)
	attempt, _ := begin(t, s, team.Owner)
	time.Sleep(2500 * time.Millisecond)
	refused(t, s, team.Owner) // longer than the lease, but it lives
	testkit.Exec(t, team.URL, "UPDATE idempotency_keys SET lease_until = now() - interval '1 second'")
	later, stands := begin(t, s, team.Owner)
	if stands.State != idempotency.Running {
		t.Errorf("taken over as %s", stands.State)
	}
	// The first attempt was suspended and continues: it must not carry the request out beside the second.
	if err := write(attempt.Context(t.Context(), fingerprint), team); !fault.Is(err, fault.Conflict) {
		t.Errorf("the request that lost its key wrote: %v", err)
	}
	if err := errors.Join(attempt.Release(), write(later.Context(t.Context(), fingerprint), team),
		later.Release()); err != nil {
		t.Fatal(err)
	}
	if n := testkit.Count(t, team.URL, "companies"); n != 1 {
		t.Errorf("%d companies", n)
	}
	if _, stands = begin(t, s, team.Owner); stands.State != idempotency.Committed {
		t.Errorf("then it is %s", stands.State)
	}
}

func TestKeysAreForgottenAfterADay(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	s := idempotency.NewStore(team.DB, 0)
	for user, age := range map[uuid.UUID]string{team.Owner: "23:59", team.Member: "24:01", team.Stranger: "24:01"} {
		attempt, _ := begin(t, s, user)
		if err := attempt.Keep(idempotency.Answer{Status: 201}, fingerprint()); err != nil {
			t.Fatal(err)
		}
		testkit.Exec(t, team.URL,
			"UPDATE idempotency_keys SET lease_until = now() - interval '1 hour', created_at = now() - $1::interval WHERE "+
				"user_id = $2", age, user)
	}
	if _, stands := begin(t, s, team.Stranger); stands.State != idempotency.Running || stands.Body != nil {
		t.Errorf("an old key that no sweep has seen is %s", stands.State)
	}
	if gone, err := s.Forget(t.Context()); err != nil || gone != 1 {
		t.Errorf("Forget = %d, %v", gone, err)
	}
	if n := testkit.Count(t, team.URL, "idempotency_keys"); n != 2 {
		t.Errorf("%d keys are left", n)
	}
}
