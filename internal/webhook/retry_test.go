package webhook_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"dealflow/internal/testkit"
	"dealflow/internal/webhook"
)

// TestReceiverThatFails checks that a failing receiver is tried with one message at a time, and gets all once it works.
func TestReceiverThatFails(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.status.Store(http.StatusInternalServerError)
	for range 3 {
		testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	}
	s.pump(t, 3)
	s.deliver(t)
	if came := len(s.messages()); came != 1 {
		t.Errorf("%d messages were sent to a receiver that fails, want one at a time", came)
	}
	failed := 0
	for _, d := range s.log(t) {
		if d.State != webhook.Pending || d.NextAt == nil || !d.NextAt.After(time.Now()) {
			t.Errorf("after a failure: %+v", d)
		}
		failed += d.Attempts
	}
	if failed != 1 || s.listed(t).FailingSince == nil {
		t.Errorf("%d attempts were counted; the webhook: %+v", failed, s.listed(t))
	}
	s.status.Store(http.StatusOK)
	testkit.Exec(t, s.Team.URL, "UPDATE webhooks SET retry_at = now() - interval '1 second'")
	s.deliver(t)
	s.deliver(t)
	for _, d := range s.log(t) {
		if d.State != webhook.Delivered || d.StatusCode == nil || *d.StatusCode != http.StatusOK {
			t.Errorf("once the receiver is well: %+v", d)
		}
	}
	if hook := s.listed(t); hook.FailingSince != nil {
		t.Errorf("the webhook still fails: %+v", hook)
	}
	ids := map[string]bool{}
	for _, m := range s.messages() {
		ids[m.header.Get("webhook-id")] = true
	}
	if len(ids) != 3 {
		t.Errorf("%d ids in %d messages", len(ids), len(s.messages()))
	}
}

func TestADeliveryNamesTheStatusOfTheAnswer(t *testing.T) {
	t.Parallel()
	for status, want := range map[int32]string{
		http.StatusBadGateway: "the receiver answered 502 Bad Gateway", 599: "the receiver answered 599",
	} {
		s := newScene(t, nil)
		s.status.Store(status)
		testkit.Company(t, s.DB, s.ID, s.Owner, "team")
		s.pump(t, 1)
		s.deliver(t)
		if got := testkit.Texts(t, s.Team.URL, "SELECT error FROM webhook_deliveries"); len(got) != 1 || got[0] != want {
			t.Errorf("after %d the delivery says %q, want %q", status, got, want)
		}
	}
}

// TestMessagesForAReceiverThatFailsAreNotLate checks that Wait, which operators watch, is about the service alone: not
// about messages that wait for a receiver that fails, nor about old ones that are sent again.
func TestMessagesForAReceiverThatFailsAreNotLate(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	late := func(what string, want bool) {
		t.Helper()
		testkit.Exec(t, s.Team.URL, "UPDATE webhook_deliveries SET created_at = now() - interval '1 hour'")
		if wait, err := s.service.Wait(t.Context()); err != nil || (wait > 30*time.Minute) != want {
			t.Errorf("%s: the longest wait is %v, %v; want an hour: %t", what, wait, err, want)
		}
	}
	s.status.Store(http.StatusInternalServerError)
	for range 3 {
		testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	}
	s.pump(t, 3)
	late("three messages that nobody sent", true)
	s.deliver(t)
	late("one was refused, and two wait for the receiver", false)
	s.status.Store(http.StatusOK)
	testkit.Exec(t, s.Team.URL, "UPDATE webhooks SET retry_at = now() - interval '1 second'")
	s.deliver(t)
	s.deliver(t)
	if _, err := s.service.Replay(t.Context(), s.Owner, s.ID, s.hook.ID, time.Time{}, false); err != nil {
		t.Fatal(err)
	}
	late("all are sent again", false)
}

// TestReceiverThatFailsForLong ends a delivery after a day and the webhook after three.
func TestReceiverThatFailsForLong(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.status.Store(http.StatusFound) // a redirect is no success, and not followed
	testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	s.pump(t, 1)
	s.deliver(t)
	testkit.Exec(t, s.Team.URL, "UPDATE webhooks SET retry_at = now(), failing_since = now() - interval '71 hours'")
	testkit.Exec(t, s.Team.URL, "UPDATE webhook_deliveries SET expires_at = now()")
	s.deliver(t)
	if d := s.log(t)[0]; d.State != webhook.Failed || d.Attempts != 2 || d.Error == nil {
		t.Errorf("after a day: %+v", d)
	}
	if !s.listed(t).Enabled {
		t.Error("disabled before three days have passed")
	}
	testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	s.pump(t, 2)
	testkit.Exec(t, s.Team.URL, "UPDATE webhooks SET retry_at = now(), failing_since = now() - interval '73 hours'")
	s.deliver(t)
	if hook := s.listed(t); hook.Enabled || hook.DisabledReason == nil {
		t.Errorf("after three days: %+v", hook)
	}
	sent := len(s.messages())
	s.deliver(t)
	if now := len(s.messages()); now != sent {
		t.Errorf("%d messages to a disabled webhook", now-sent)
	}
	s.status.Store(http.StatusOK)
	missed := testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	on := true
	if _, err := s.service.Change(t.Context(), s.Owner, s.ID, s.hook.ID, webhook.Change{Enabled: &on}); err != nil {
		t.Fatal(err)
	}
	s.pump(t, 3)
	s.deliver(t)
	if came := s.messages(); !strings.Contains(string(came[len(came)-1].body), missed.String()) {
		t.Errorf("enabled again, the webhook is sent %s", came[len(came)-1].body)
	}
}

// TestQuietReceiverFails lets nine days without a message pass after a day of failures, and again.
func TestQuietReceiverFails(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.status.Store(http.StatusBadGateway)
	testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	s.pump(t, 1)
	s.deliver(t)
	testkit.Exec(t, s.Team.URL, "UPDATE webhooks SET failures = 12, retry_at = now() - interval '9 days', "+
		"failing_since = now() - interval '10 days'")
	s.deliver(t)
	hook := s.listed(t)
	if !hook.Enabled || hook.FailingSince == nil || time.Since(*hook.FailingSince).Round(time.Hour) != 24*time.Hour {
		t.Errorf("after one failure: %+v", hook)
	}
	soon := testkit.Texts(t, s.Team.URL, "SELECT retry_at < now() + interval '6 seconds' FROM webhooks")
	if soon[0] != "true" {
		t.Error("it is tried again as if it had failed all the time")
	}
	testkit.Exec(t, s.Team.URL, "UPDATE webhooks SET retry_at = now() - interval '9 days', "+
		"failing_since = now() - interval '297 hours'") // nine days and 81 hours
	s.deliver(t)
	if s.listed(t).Enabled {
		t.Error("it is not disabled after failing for three days with quiet days between them")
	}
}

// TestAnAttemptAtTheLastReceiverSaysNothingAboutTheNext changes the URL of a webhook, or enables it again, while an
// attempt is under way, which then fails.
func TestAnAttemptAtTheLastReceiverSaysNothingAboutTheNext(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status  int32
		change  func(*scene) webhook.Change
		failing bool // whether the receiver counts as one that fails
	}{
		"gone": {http.StatusGone, func(s *scene) webhook.Change { return webhook.Change{URL: new(s.URL() + "/next")} }, false},
		"failing for long": {http.StatusInternalServerError, func(s *scene) webhook.Change {
			return webhook.Change{URL: new(s.URL() + "/next")}
		}, false},
		"enabled again": {http.StatusInternalServerError, func(*scene) webhook.Change {
			return webhook.Change{Enabled: new(true)}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, nil)
			s.status.Store(tc.status)
			s.arrives = func() {
				if _, err := s.service.Change(t.Context(), s.Owner, s.ID, s.hook.ID, tc.change(s)); err != nil {
					t.Error(err)
				}
			}
			testkit.Company(t, s.DB, s.ID, s.Owner, "team")
			s.pump(t, 1)
			testkit.Exec(t, s.Team.URL, "UPDATE webhooks SET retry_at = now(), failing_since = now() - interval '73 hours'")
			s.deliver(t)
			if came := len(s.messages()); came != 1 {
				t.Fatalf("%d messages came, want 1", came)
			}
			hook := s.listed(t)
			if !hook.Enabled {
				t.Errorf("the webhook was disabled: %s", *hook.DisabledReason)
			}
			if (hook.FailingSince != nil) != tc.failing {
				t.Errorf("failing since %v, want a time: %t", hook.FailingSince, tc.failing)
			}
		})
	}
}

// TestProcessThatDiesBehindSending loses its attempt before it can note that the message arrived.
func TestProcessThatDiesBehindSending(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	s.pump(t, 1)
	s.arrives = sync.OnceFunc(func() {
		// as the sweep does with an attempt whose worker died
		testkit.Exec(t, s.Team.URL, "UPDATE work SET state = 'queued', attempt = attempt + 1")
	})
	s.deliver(t)
	if d := s.log(t)[0]; d.State != webhook.Pending {
		t.Errorf("noted by who had lost it: %+v", d)
	}
	s.deliver(t)
	came := s.messages()
	if d := s.log(t)[0]; d.State != webhook.Delivered || len(came) != 2 {
		t.Fatalf("%d messages, %+v", len(came), d)
	}
	if came[0].header.Get("webhook-id") != came[1].header.Get("webhook-id") ||
		string(came[0].body) != string(came[1].body) {
		t.Error("the receiver cannot know the message again")
	}
}
