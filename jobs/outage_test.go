package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/webhook"
	"dealflow/internal/work"
	"dealflow/jobs"
)

func TestOutagesNeverUseUpAnAttempt(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]error{
		"Postgres": fmt.Errorf("load company: %w", &net.OpError{Op: "dial", Err: errors.New("connection refused")}),
		"its disk": fmt.Errorf("store email: %w", &pgconn.PgError{Code: "53100"}),
		"storage":  fmt.Errorf("open file: %w", fault.New(fault.Unavailable, "storage_unavailable")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t, time.Minute)
			s.analyzer.do = func(call int32) error {
				if call > 6 {
					return nil
				}
				testkit.Exec(t, s.url, "UPDATE work SET outages = 0") // so that the delays stay short
				return outage
			}
			d := s.intake(t, "")
			testkit.Exec(t, s.url, "UPDATE work SET max_attempts = 1")
			start(t, s.worker.Run)
			start(t, s.sweeper.Run)
			if item := s.await(t, d.WorkID, work.Done); item.Attempt < 7 || item.Failures != 0 || item.Interruption == nil {
				t.Errorf("done after %d attempts with %d failures, want 6 interruptions", item.Attempt, item.Failures)
			}
		})
	}
}

// TestWorkThatIsTooSlowFailsInTheEnd lets transactions time out while the database answers.
func TestWorkThatIsTooSlowFailsInTheEnd(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	slow, err := postgres.Open(t.Context(), s.url, postgres.Options{TransactionTimeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = slow.Close() })
	s.analyzer.do = func(int32) error {
		return slow.As(context.Background(), s.user, func(tx *postgres.Tx) error {
			return tx.Exec("SELECT pg_sleep(60)").Error
		})
	}
	d := s.intake(t, "")
	testkit.Exec(t, s.url, "UPDATE work SET max_attempts = 2")
	start(t, s.worker.Run)
	start(t, s.sweeper.Run)
	if item := s.await(t, d.WorkID, work.Failed); item.Failures != 2 || item.Outages != 0 {
		t.Errorf("failed after %d failures and %d outages, want 2 failures", item.Failures, item.Outages)
	}
	failed := `dealflow_work_duration_seconds_count{kind="company.analyse",outcome="failed"} 2`
	for deadline := time.Now().Add(15 * time.Second); !strings.Contains(s.measured(t), failed); {
		if time.Now().After(deadline) {
			t.Fatalf("want %s in %s", failed, s.measured(t))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestADeliveryThatWaitsForTheDatabaseDoesNotFail locks the deliveries of webhooks for longer than a transaction of the
// API may take. Its transactions are short, so that a late one has not too much to do.
func TestADeliveryThatWaitsForTheDatabaseDoesNotFail(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	api, err := postgres.Open(t.Context(), s.url, postgres.Options{TransactionTimeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Close() })
	deps := s.deps
	deps.Concurrency, deps.Bulk, deps.Sending, deps.Metrics = 0, 0, 1, prometheus.NewRegistry()
	deps.Webhooks, err = webhook.New(webhook.Deps{
		DB: api, Work: s.rows, Secrets: [][]byte{[]byte(strings.Repeat("k", 32))}, AllowPrivate: true, Logger: deps.Logger,
	})
	if err != nil {
		t.Fatal(err)
	}
	made, _, err := deps.Webhooks.Create(t.Context(), s.user, s.team, webhook.Draft{URL: receiver.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := deps.Webhooks.Test(t.Context(), s.user, s.team, made.ID); err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, s.url, "UPDATE work SET max_attempts = 1")
	held := make(chan struct{})
	go func() {
		defer close(held)
		testkit.Exec(t, s.url, "BEGIN; LOCK TABLE webhook_deliveries; SELECT pg_sleep(2); COMMIT")
	}()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline) &&
		len(testkit.Texts(t, s.url, `SELECT mode FROM pg_locks WHERE relation = 'webhook_deliveries'::regclass
			AND mode = 'AccessExclusiveLock' AND granted`)) == 0; {
		time.Sleep(10 * time.Millisecond)
	}
	start(t, jobs.NewWorker(deps).Run)
	start(t, s.sweeper.Run)
	<-held
	id := uuid.MustParse(testkit.Texts(t, s.url, "SELECT id::text FROM work")[0])
	if item := s.await(t, id, work.Done); item.Failures != 0 || item.Outages == 0 {
		t.Errorf("done after %d failures and %d outages, want outages alone", item.Failures, item.Outages)
	}
}

// measured returns the metrics of the worker as Prometheus reads them.
func (s *setup) measured(t *testing.T) string {
	t.Helper()
	answer := httptest.NewRecorder()
	promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{}).ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(),
		http.MethodGet, "/metrics", http.NoBody))
	return answer.Body.String()
}

// TestAnAttemptThatHasEndedIsNoError takes an attempt from its worker before it fails, as happens to a worker that was
// frozen.
func TestAnAttemptThatHasEndedIsNoError(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	told := &lines{}
	s.deps.Logger, s.deps.Metrics = slog.New(slog.NewTextHandler(told, nil)), prometheus.NewRegistry()
	s.worker = jobs.NewWorker(s.deps)
	s.analyzer.do = func(call int32) error {
		if call > 1 {
			return nil
		}
		testkit.Exec(t, s.url, "UPDATE work SET state = 'queued', attempt = attempt + 1, told_at = NULL, lease_until = NULL")
		return errors.New("out of memory")
	}
	d := s.intake(t, "")
	start(t, s.worker.Run)
	start(t, s.sweeper.Run)
	s.await(t, d.WorkID, work.Done)
	for deadline := time.Now().Add(15 * time.Second); !strings.Contains(told.String(), "needs no release"); {
		if time.Now().After(deadline) {
			t.Fatalf("an attempt that another worker took over is logged as %s", told)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if strings.Contains(told.String(), "could not be released") {
		t.Errorf("an attempt that another worker took over is logged as %s", told)
	}
}

// lines is a text that several goroutines may write.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestAStoppedWorkerHandsItsWorkOver(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	s.deps.Grace, s.deps.Metrics = 10*time.Millisecond, prometheus.NewRegistry()
	s.worker = jobs.NewWorker(s.deps)
	began := make(chan struct{})
	s.analyzer.wait = func(ctx context.Context) error {
		close(began)
		<-ctx.Done()
		return ctx.Err()
	}
	d := s.intake(t, "")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.worker.Run(ctx) }()
	<-began
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	item := s.item(t, d.WorkID)
	if item.State != work.Queued || item.Attempt != 2 || item.Failures != 0 || item.Losses != 0 ||
		item.RunAfter.After(time.Now()) {
		t.Errorf("after the stop of its worker the work is %+v", item)
	}
}
