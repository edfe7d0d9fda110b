package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
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

// TestNoWebhookWaitsForTheBacklogOfAnother lets two webhooks read more changes than are read at once.
func TestNoWebhookWaitsForTheBacklogOfAnother(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	if _, _, err := s.service.Create(t.Context(), s.Owner, s.ID, webhook.Draft{URL: s.URL()}); err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, s.Team.URL, `INSERT INTO companies (id, account_id, name, visibility, source, created_by, updated_by)
		SELECT gen_random_uuid(), $1, 'Acme ' || n, 'team', 'manual', $2, $2 FROM generate_series(1, 500) AS n`,
		s.ID, s.Owner)
	read := func() []string {
		return testkit.Texts(t, s.Team.URL, `SELECT webhook_id::text FROM webhook_deliveries
			WHERE event_type = 'company.created' ORDER BY created_at`)
	}
	for deadline := time.Now().Add(time.Minute); len(read()) < 1000 && time.Now().Before(deadline); {
		if err := s.service.Dispatch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	made := read()
	if len(made) != 1000 {
		t.Fatalf("%d deliveries of 1000", len(made))
	}
	if turns := len(slices.Compact(made)); turns < 4 {
		t.Errorf("the deliveries of 500 changes to two webhooks were made in %d turns", turns)
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
