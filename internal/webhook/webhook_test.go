package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
	"dealflow/internal/wakeup"
	"dealflow/internal/webhook"
	"dealflow/internal/work"
	"dealflow/jobs"
)

func (silence) Enqueue(context.Context, work.Ref, time.Duration) error { return nil }

// TestWorkersSendWhatHappens goes the whole way: a change, the feed, the queue, a worker, a receiver that verifies.
func TestWorkersSendWhatHappens(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	connection, log := testkit.Redis(t), slog.New(slog.DiscardHandler)
	rows := work.NewStore(s.DB, jobs.NewClient(connection), log)
	s.service = s.newService(t, rows, true)
	worker := jobs.NewWorker(jobs.Deps{
		Redis: connection, Work: rows, Publisher: wakeup.NewPublisher(connection), Webhooks: s.service, Sending: 2,
		Lease: time.Minute, Logger: log,
		Metrics: prometheus.NewRegistry(),
	})
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { s.service.Run(ctx) })
	running.Go(func() {
		if err := worker.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	defer running.Wait()
	defer stop()
	made := testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	for deadline := time.Now().Add(time.Minute); len(s.messages()) == 0 && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	came := s.messages()
	if len(came) != 1 {
		t.Fatalf("%d messages came", len(came))
	}
	if err := verify(t, s.secret, came[0]); err != nil {
		t.Errorf("the signature: %v", err)
	}
	var message struct {
		Type string
		Data struct{ Target struct{ ID string } }
	}
	if err := json.Unmarshal(came[0].body, &message); err != nil || message.Type != "company.created" ||
		message.Data.Target.ID != made.String() {
		t.Errorf("told %s, %v", came[0].body, err)
	}
}

// TestEachTypeIsKeptOnce sends types twice, when a webhook is made and when it is changed.
func TestEachTypeIsKeptOnce(t *testing.T) {
	t.Parallel()
	twice := []string{"company.updated", "company.created", "company.updated", "email.created", "company.created"}
	once := []string{"company.updated", "company.created", "email.created"}
	s := newScene(t, func(d *webhook.Draft) { d.EventTypes = twice })
	if !slices.Equal(s.hook.EventTypes, once) {
		t.Errorf("made with %v, want %v", s.hook.EventTypes, once)
	}
	slices.Reverse(twice)
	changed, err := s.service.Change(t.Context(), s.Owner, s.ID, s.hook.ID, webhook.Change{EventTypes: &twice})
	once = []string{"company.created", "email.created", "company.updated"}
	if err != nil || !slices.Equal(changed.EventTypes, once) {
		t.Errorf("changed to %v, want %v, error %v", changed.EventTypes, once, err)
	}
	none := []string{}
	changed, err = s.service.Change(t.Context(), s.Owner, s.ID, s.hook.ID, webhook.Change{EventTypes: &none})
	if err != nil || len(changed.EventTypes) != 0 {
		t.Errorf("changed to %v, want none, error %v", changed.EventTypes, err)
	}
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	_, other, err := s.service.Rotate(t.Context(), s.Owner, s.ID, s.hook.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.service.Test(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
		t.Fatal(err)
	}
	s.deliver(t)
	testkit.Exec(t, s.Team.URL, "UPDATE webhooks SET old_secret_until = now()")
	if _, err := s.service.Test(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
		t.Fatal(err)
	}
	s.deliver(t)
	came := s.messages()
	if len(came) != 2 {
		t.Fatalf("%d messages came", len(came))
	}
	for name, tc := range map[string]struct {
		secret string
		m      received
		valid  bool
	}{
		"the new one":         {other, came[0], true},
		"the old one, so far": {s.secret, came[0], true},
		"the new one alone":   {other, came[1], true},
		"the old one no more": {s.secret, came[1], false},
		"another body":        {other, received{came[0].header, []byte(`{}`)}, false},
	} {
		if err := verify(t, tc.secret, tc.m); (err == nil) != tc.valid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTwoRotationsWithinADay has a receiver that uses the first secret until its day is over.
func TestTwoRotationsWithinADay(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	known := []string{s.secret}
	for range 2 {
		_, secret, err := s.service.Rotate(t.Context(), s.Owner, s.ID, s.hook.ID)
		if err != nil {
			t.Fatal(err)
		}
		known = append(known, secret)
	}
	send := func() received {
		if _, err := s.service.Test(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
			t.Fatal(err)
		}
		s.deliver(t)
		came := s.messages()
		return came[len(came)-1]
	}
	came := send()
	for i, secret := range known {
		if err := verify(t, secret, came); err != nil {
			t.Errorf("secret %d of 3 does not sign within its day: %v", i+1, err)
		}
	}
	if n := len(strings.Fields(came.header.Get("webhook-signature"))); n != 3 {
		t.Errorf("%d signatures, want 3", n)
	}
	for range 30 {
		if _, _, err := s.service.Rotate(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(strings.Fields(send().header.Get("webhook-signature"))); n != 21 {
		t.Errorf("%d signatures after many rotations, want 21", n)
	}
}

// TestEachIsSentWhatTheirMakerSees is about who sees what, and the types that were chosen.
func TestEachIsSentWhatTheirMakerSees(t *testing.T) {
	t.Parallel()
	s := newScene(t, func(d *webhook.Draft) { d.EventTypes = []string{"company.created"} })
	testkit.Company(t, s.DB, s.ID, s.Member, "private")
	seen := testkit.Company(t, s.DB, s.ID, s.Member, "team")
	own := testkit.Company(t, s.DB, s.ID, s.Owner, "private")
	testkit.DeleteCompany(t, s.DB, s.Owner, own)
	last := testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	s.pump(t, 3)
	var told []string
	for _, d := range s.log(t) {
		told = append(told, d.Body)
	}
	text := strings.Join(told, "\n")
	for _, id := range []uuid.UUID{seen, own, last} {
		if strings.Count(text, id.String()) != 1 {
			t.Errorf("%s is not told of once:\n%s", id, text)
		}
	}
	if len(told) != 3 {
		t.Errorf("told %q", told)
	}
	if _, _, err := s.service.List(t.Context(), postgres.AsUser(s.Member), s.ID, paging.First(1)); !fault.Is(err,
		fault.Forbidden) {
		t.Errorf("a member lists webhooks: %v", err)
	}
}

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

// TestSecretsOutliveTheKeyThatSealedThem reseals the secrets with a new key, and checks that messages are signed as
// before by a service that has only the new key.
func TestSecretsOutliveTheKeyThatSealedThem(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	if _, _, err := s.service.Rotate(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
		t.Fatal(err)
	}
	keys := [][]byte{[]byte("another secret, of as many letters"), []byte("a secret of thirty-two characters")}
	if done, err := webhook.Reseal(t.Context(), s.DB, keys); err != nil || done.Renewed != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	service, err := webhook.New(webhook.Deps{
		DB: s.DB, Work: s.rows, Secrets: keys[:1], AllowPrivate: true,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.service = service
	if _, err := s.service.Test(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
		t.Fatal(err)
	}
	s.deliver(t)
	if came := s.messages(); len(came) != 1 || verify(t, s.secret, came[0]) != nil {
		t.Errorf("%d messages, or not signed: %+v", len(came), s.log(t))
	}
}

// TestSecretThatCannotBeRead loses the key that sealed the secret.
func TestSecretThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	service, err := webhook.New(webhook.Deps{
		DB: s.DB, Work: s.rows, Secrets: [][]byte{[]byte("another secret, of as many letters")}, AllowPrivate: true,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.service = service
	if _, err := s.service.Test(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
		t.Fatal(err)
	}
	s.deliver(t)
	d := s.log(t)[0]
	if d.State != webhook.Pending || d.Attempts != 1 || d.Error == nil || d.StatusCode != nil || len(s.messages()) != 0 {
		t.Errorf("%d messages, %+v", len(s.messages()), d)
	}
	if hook := s.listed(t); hook.FailingSince != nil {
		t.Errorf("the receiver is said to fail since %s", hook.FailingSince)
	}
	_, secret, err := s.service.Rotate(t.Context(), s.Owner, s.ID, s.hook.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.deliver(t)
	if came := s.messages(); len(came) != 1 || verify(t, secret, came[0]) != nil {
		t.Errorf("after a rotation %d messages, or not signed: %+v", len(came), s.log(t))
	}
}

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

func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	permissive := s.service
	s.service = s.newService(t, s.rows, false)
	for _, url := range []string{
		s.URL(), strings.Replace(s.URL(), "127.0.0.1", "localhost", 1),
		strings.Replace(s.URL(), "127.0.0.1", "[::ffff:127.0.0.1]", 1),
	} {
		testkit.Exec(t, s.Team.URL, "UPDATE webhook_deliveries SET state = 'failed'")
		change := webhook.Change{URL: &url}
		if _, err := s.service.Change(t.Context(), s.Owner, s.ID, s.hook.ID, change); !fault.Is(err, fault.InvalidBody) {
			t.Errorf("%s is taken: %v", url, err)
		}
		if _, err := permissive.Change(t.Context(), s.Owner, s.ID, s.hook.ID, change); err != nil {
			t.Fatal(err)
		}
		if _, err := s.service.Test(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
			t.Fatal(err)
		}
		s.deliver(t)
		if d := s.log(t)[0]; d.Error == nil || !strings.Contains(*d.Error, "WEBHOOK_ALLOW_PRIVATE") {
			t.Errorf("%s: %+v", url, d)
		}
	}
	if n := len(s.messages()); n != 0 {
		t.Errorf("%d messages came", n)
	}
}

// TestManyChangesAreEachSentOnce dispatches in several goroutines at once.
func TestManyChangesAreEachSentOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	const count = 60
	var writing sync.WaitGroup
	for range 3 {
		writing.Go(func() {
			for range count / 3 {
				testkit.Company(t, s.DB, s.ID, s.Owner, "team")
			}
		})
		writing.Go(func() {
			for range 20 {
				if err := s.service.Dispatch(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	s.pump(t, count)
	once := map[string]int{}
	for _, d := range s.log(t) {
		once[d.Body]++
	}
	if len(once) != count {
		t.Errorf("%d changes were made %d messages: %v", count, len(once), fmt.Sprint(once))
	}
}

func TestAnAccountHasSoManyWebhooksAtMost(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	testkit.Exec(t, s.Team.URL, `INSERT INTO webhooks (id, account_id, url, description, event_types, enabled, secret,
		created_by, place_transaction, place_thing, place_database)
		SELECT gen_random_uuid(), account_id, url, '', '{}', true, secret, created_by, place_transaction, place_thing,
		place_database FROM webhooks, generate_series(1, 48)`)
	if made := testkit.AtOnce(t, s.Team.URL, "webhooks", func() error {
		_, _, err := s.service.Create(t.Context(), s.Owner, s.ID, webhook.Draft{URL: s.URL()})
		return err
	}); made != 1 {
		t.Errorf("%d were made where there is room for one", made)
	}
}
