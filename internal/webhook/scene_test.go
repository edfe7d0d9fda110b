package webhook_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
	"dealflow/internal/webhook"
	"dealflow/internal/work"
)

// silence is a queue without workers: the tests do the work themselves.
type silence struct{}

func (silence) Enqueue(context.Context, work.Ref, time.Duration) error { return nil }

// received is a message that the receiver got.
type received struct {
	header http.Header
	body   []byte
}

// receiver answers as the test says, and keeps the messages that it gets.
type receiver struct {
	*httptest.Server

	status  atomic.Int32
	arrives func() // before it answers; may be nil

	mu   sync.Mutex
	came []received
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.status.Store(http.StatusNoContent)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		r.came = append(r.came, received{request.Header, body})
		r.mu.Unlock()
		if r.arrives != nil {
			r.arrives()
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(int(r.status.Load()))
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) messages() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.came)
}

// scene is a team with a webhook.
type scene struct {
	*testkit.Team
	*receiver

	rows    *work.Store
	service *webhook.Service
	hook    webhook.Webhook
	secret  string
}

func newScene(t *testing.T, draft func(*webhook.Draft)) *scene {
	t.Helper()
	s := &scene{Team: testkit.NewTeam(t), receiver: newReceiver(t)}
	s.rows = work.NewStore(s.DB, silence{}, slog.New(slog.DiscardHandler))
	s.service = s.newService(t, s.rows, true)
	// While a transaction of another test runs, changes from just before are sent too: those of the team's statuses.
	d := webhook.Draft{URL: s.URL(), EventTypes: []string{"company.created", "company.updated", "company.deleted"}}
	if draft != nil {
		draft(&d)
	}
	var err error
	if s.hook, s.secret, err = s.service.Create(t.Context(), s.Owner, s.ID, d); err != nil {
		t.Fatal(err)
	}
	return s
}

// URL is the receiver's.
func (s *scene) URL() string { return s.receiver.URL }

func (s *scene) newService(t *testing.T, rows *work.Store, allowPrivate bool) *webhook.Service {
	t.Helper()
	service, err := webhook.New(webhook.Deps{
		DB: s.DB, Work: rows, Secrets: [][]byte{[]byte("a secret of thirty-two characters")}, AllowPrivate: allowPrivate,
		MailBase: "https://deals.example", Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return service
}

// pump dispatches changes until so many deliveries are in the log.
func (s *scene) pump(t *testing.T, count int) []webhook.Delivery {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if err := s.service.Dispatch(t.Context()); err != nil {
			t.Fatal(err)
		}
		if found := s.log(t); len(found) >= count {
			return found
		}
	}
	t.Fatalf("the log has %d deliveries, want %d", len(s.log(t)), count)
	return nil
}

func (s *scene) log(t *testing.T) []webhook.Delivery {
	t.Helper()
	found, _, err := s.service.Deliveries(t.Context(), postgres.AsUser(s.Owner), s.ID, s.hook.ID, "",
		paging.First(100))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// deliver performs all work that waits, also work that is to begin later.
func (s *scene) deliver(t *testing.T) {
	t.Helper()
	testkit.Exec(t, s.Team.URL, "UPDATE work SET run_after = now() - interval '1 second', told_at = NULL WHERE state = "+
		"'queued'")
	due, err := s.rows.Due(t.Context(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range due {
		item, err := s.rows.Claim(t.Context(), found.Ref, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.service.Deliver(t.Context(), item); err != nil && !strings.Contains(err.Error(), work.ErrLost.Error()) {
			t.Fatal(err)
		}
	}
}

func (s *scene) listed(t *testing.T) webhook.Webhook {
	t.Helper()
	found, _, err := s.service.List(t.Context(), postgres.AsUser(s.Owner), s.ID, paging.First(10))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d webhooks, %v", len(found), err)
	}
	return found[0]
}

func verify(t *testing.T, secret string, m received) error {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return verifier.Verify(m.body, m.header)
}
