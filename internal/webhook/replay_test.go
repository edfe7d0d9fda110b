package webhook_test

import (
	"testing"
	"time"

	"dealflow/internal/fault"
	"dealflow/internal/testkit"
	"dealflow/internal/webhook"
)

func TestReplay(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	for range 3 {
		testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	}
	found := s.pump(t, 3)
	begun := found[2].CreatedAt
	s.deliver(t)
	testkit.Exec(t, s.Team.URL, "UPDATE webhook_deliveries SET state = 'failed' WHERE id = $1", found[0].ID)
	replay := func(since time.Time, failedOnly bool) int {
		done, err := s.service.Replay(t.Context(), s.Owner, s.ID, s.hook.ID, since, failedOnly)
		if err != nil || done.Next != nil {
			t.Fatalf("%+v, %v", done, err)
		}
		s.deliver(t)
		return done.Count
	}
	if n := replay(begun, true); n != 1 || len(s.messages()) != 4 {
		t.Errorf("%d that failed are sent again, %d messages in all", n, len(s.messages()))
	}
	if n := replay(begun, false); n != 3 || len(s.messages()) != 7 {
		t.Errorf("%d are sent again, %d messages in all", n, len(s.messages()))
	}
	if n := replay(time.Now().Add(time.Hour), false); n != 0 {
		t.Errorf("%d of what is to come are sent again", n)
	}
	again, err := s.service.ReplayOne(t.Context(), s.Owner, s.ID, s.hook.ID, found[1].ID)
	if err != nil || again.State != webhook.Pending {
		t.Fatalf("%+v, %v", again, err)
	}
	if _, err := s.service.ReplayOne(t.Context(), s.Owner, s.ID, s.hook.ID, found[1].ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("one under way is sent again: %v", err)
	}
	s.deliver(t)
	if last := s.messages()[7]; last.header.Get("webhook-id") != found[1].ID.String() {
		t.Errorf("sent again under another id: %v", last.header)
	}
}

// TestReplayOfManyEnds asks for all of 1,500 messages as the document says, and has each part sent before it goes on.
func TestReplayOfManyEnds(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	testkit.Exec(t, s.Team.URL, `INSERT INTO webhook_deliveries (id, account_id, webhook_id, event_type, body, state,
		created_at, attempted_at) SELECT gen_random_uuid(), $1, $2, 'company.created', '{}', 'delivered',
		now() - make_interval(mins => n / 200), now() FROM generate_series(0, 1499) AS n`, s.ID, s.hook.ID)
	since, total := time.Now().Add(-time.Hour), 0
	for range 3 {
		done, err := s.service.Replay(t.Context(), s.Owner, s.ID, s.hook.ID, since, false)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Exec(t, s.Team.URL, "UPDATE webhook_deliveries SET state = 'delivered', attempted_at = now()")
		if total += done.Count; done.Next == nil {
			if total < 1500 || total > 1700 {
				t.Errorf("%d messages are sent again, want 1,500 and at most 200 twice", total)
			}
			return
		}
		since = *done.Next
	}
	t.Errorf("it has not ended after %d messages", total)
}
