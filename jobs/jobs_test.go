package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/account"
	"dealflow/internal/analysis"
	"dealflow/internal/audit"
	"dealflow/internal/blob"
	"dealflow/internal/changes"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/match"
	"dealflow/internal/email"
	"dealflow/internal/idempotency"
	"dealflow/internal/ingest/creation"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
	"dealflow/internal/wakeup"
	"dealflow/internal/work"
	"dealflow/jobs"
)

// scripted is an analyzer that does what the test says at each call, from 1 on.
type scripted struct {
	calls atomic.Int32
	do    func(call int32) error
	wait  func(context.Context) error
}

func (s *scripted) Analyze(ctx context.Context, _ analysis.Input) (analysis.Findings, error) {
	call := s.calls.Add(1)
	if s.wait != nil {
		return analysis.Findings{}, s.wait(ctx)
	}
	if s.do == nil {
		return analysis.Findings{Name: "Acme", Analyzer: "scripted"}, nil
	}
	return analysis.Findings{Name: "Acme", Analyzer: "scripted"}, s.do(call)
}

type setup struct {
	url       string
	db        *postgres.DB
	redis     redis.UniversalClient
	client    *jobs.Client
	rows      *work.Store
	companies companykit.Services
	imports   *imports.Service
	analyzer  *scripted
	worker    *jobs.Worker
	deps      jobs.Deps // of the worker
	sweeper   *jobs.Sweeper
	registry  *prometheus.Registry
	user      uuid.UUID
	team      uuid.UUID
}

func newSetup(t *testing.T, lease time.Duration) *setup {
	t.Helper()
	return newSetupOn(t, lease, testkit.Redis(t))
}

func newSetupOn(t *testing.T, lease time.Duration, connection redis.UniversalClient) *setup {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	s := &setup{url: testkit.DatabaseURL(t), redis: connection, analyzer: &scripted{}, registry: prometheus.NewRegistry()}
	s.db = testkit.Open(t, s.url)
	s.user = testkit.User(t, s.db, "Ada").ID
	s.team = testkit.Account(t, s.db, s.user, "Fund").ID
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	s.client = jobs.NewClient(s.redis)
	s.rows = work.NewStore(s.db, s.client, log)
	s.companies = companykit.Wire(s.db, blobs, s.rows, 1<<20, log)
	publisher := wakeup.NewPublisher(s.redis)
	analysts := analyst.New(analyst.Deps{
		DB: s.db, Blobs: blobs, Work: s.rows, Analyzer: s.analyzer, Now: time.Now, Logger: log,
	})
	s.imports = imports.New(imports.Deps{DB: s.db, Blobs: blobs, Work: s.rows, Logger: log})
	receiver := hooks.NewReceiver(s.db, blobs, s.rows, email.New(s.db, blobs), log)
	creator := analyst.NewCreator(s.companies.Creations, analysts, match.New())
	writer := imports.NewWriter(imports.WriterDeps{
		DB: s.db, Blobs: blobs, Work: s.rows, Emails: email.New(s.db, blobs), Companies: creator, Logger: log,
	})
	s.deps = jobs.Deps{
		Redis: s.redis, Work: s.rows, Publisher: publisher, Companies: s.companies.Service, Analyst: analysts,
		Imports: writer, Receiver: receiver,
		Creations: creation.New(s.db, creator), Concurrency: 2, Bulk: 2, Lease: lease, Metrics: s.registry, Logger: log,
	}
	s.worker = jobs.NewWorker(s.deps)
	s.sweeper = &jobs.Sweeper{
		Work: s.rows, Client: s.client, Publisher: publisher, Uploads: s.companies.Uploads, Analyst: analysts,
		Imports: writer,
		Emails:  email.New(s.db, blobs), Receiver: receiver,
		Idempotency: idempotency.NewStore(s.db, 0), Accounts: account.New(s.db), Audit: audit.New(s.db),
		Changes:  changes.New(s.db),
		Interval: 20 * time.Millisecond, Quiet: 200 * time.Millisecond, Logger: log,
	}
	return s
}

// start calls run in a goroutine, and cancels its context when the test ends. An error of run fails the test.
func start(t *testing.T, run func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := run(ctx); err != nil {
			t.Errorf("run: %v", err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
}

// intake creates a company by AI creation and returns its draft.
func (s *setup) intake(t *testing.T, waiter string) aicreation.Draft {
	t.Helper()
	d := aicreation.Draft{
		CompanyID: uuid.New(), WorkID: uuid.New(), AccountID: s.team, Text: "A founder's pitch", Waiter: waiter,
		RequestID: "r",
	}
	if err := s.companies.Creations.Create(t.Context(), s.user, d); err != nil {
		t.Fatal(err)
	}
	return d
}

func (s *setup) item(t *testing.T, id uuid.UUID) work.Item {
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

// awaitMost is how long a test waits for work at most: a busy machine may need most of it.
const awaitMost = 2 * time.Minute

// await waits until the item is in this state.
func (s *setup) await(t *testing.T, id uuid.UUID, state string) work.Item {
	t.Helper()
	for deadline := time.Now().Add(awaitMost); ; time.Sleep(10 * time.Millisecond) {
		item := s.item(t, id)
		if item.State == state {
			return item
		}
		if time.Now().After(deadline) {
			t.Fatalf("the work is %s after %s, want %s: %+v", item.State, awaitMost, state, item)
		}
	}
}

func TestWorkerDoesWhatTheQueueHandsOut(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	start(t, s.worker.Run)
	channel := "test:" + uuid.NewString()
	messages := s.redis.Subscribe(t.Context(), channel)
	defer messages.Close()
	if _, err := messages.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := s.intake(t, channel)
	select {
	case message := <-messages.Channel():
		if message.Payload != d.WorkID.String() {
			t.Errorf("the waiter was told %q", message.Payload)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the waiter was told nothing")
	}
	if item := s.item(t, d.WorkID); item.State != work.Done || item.Attempt != 1 {
		t.Errorf("told before it was done: %+v", item)
	}
	view, err := s.companies.Service.Get(t.Context(), postgres.AsUser(s.user), d.CompanyID)
	if err != nil || view.Name != "Acme" {
		t.Errorf("company %q, %v", view.Name, err)
	}
	if n := testutil.CollectAndCount(s.registry, "dealflow_work_duration_seconds", "dealflow_work_wait_seconds"); n != 2 {
		t.Errorf("%d series of work were counted, want 2", n)
	}
	if n, err := s.client.Workers(); err != nil || n != 1 {
		t.Errorf("Workers = %d, %v", n, err)
	}
}

// An API, which serves one queue but does no analyses, is not one of the workers that Workers counts.
func TestAnAPIIsNoWorker(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	deps := s.deps
	deps.Concurrency, deps.Bulk, deps.Sending, deps.Metrics = 0, 0, 1, prometheus.NewRegistry()
	start(t, jobs.NewWorker(deps).Run)
	inspector := asynq.NewInspectorFromRedisClient(s.redis)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		servers, err := inspector.Servers()
		if err == nil && len(servers) == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no server reported itself: %v, %v", servers, err)
		}
	}
	if n, err := s.client.Workers(); err != nil || n != 0 {
		t.Errorf("Workers = %d, %v", n, err)
	}
}

func TestFailuresAreTriedAgain(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(int32) error{
		"error": func(call int32) error {
			if call == 1 {
				return errors.New("model is down")
			}
			return nil
		},
		"panic": func(call int32) error {
			if call == 1 {
				panic("index out of range")
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t, time.Minute)
			s.analyzer.do = do
			start(t, s.worker.Run)
			d := s.intake(t, "")
			if item := s.await(t, d.WorkID, work.Done); item.Attempt != 2 {
				t.Errorf("done at attempt %d, want 2", item.Attempt)
			}
		})
	}
}

func TestFlushedQueueLosesNothing(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	var drafts []aicreation.Draft
	for range 5 {
		drafts = append(drafts, s.intake(t, ""))
	}
	if err := s.redis.FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	start(t, s.worker.Run)
	start(t, s.sweeper.Run)
	for _, d := range drafts {
		s.await(t, d.WorkID, work.Done)
	}
	if calls := s.analyzer.calls.Load(); calls != 5 {
		t.Errorf("%d analyses, want 5", calls)
	}
}

// TestLostWorkDoesNotWaitForTheRemovalOfOldData has other transactions hold up what removes old data.
func TestLostWorkDoesNotWaitForTheRemovalOfOldData(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	tx, err := testkit.Administrator(t, s.url).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	if _, err := tx.ExecContext(t.Context(), "LOCK TABLE mailgun_tokens, model_answers, forgotten_changes"); err != nil {
		t.Fatal(err)
	}
	d := s.intake(t, "")
	if err := s.redis.FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	start(t, s.worker.Run)
	start(t, s.sweeper.Run)
	s.await(t, d.WorkID, work.Done)
}

func TestTaskThatLeftTheQueueUnclaimed(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	d := s.intake(t, "")
	// As asynq leaves a task whose worker died before it claimed the row.
	if err := asynq.NewInspectorFromRedisClient(s.redis).ArchiveTask(work.Interactive,
		d.WorkID.String()+":1"); err != nil {
		t.Fatal(err)
	}
	start(t, s.worker.Run)
	start(t, s.sweeper.Run)
	// On a busy machine the sweep may give up on the second attempt too.
	if item := s.await(t, d.WorkID, work.Done); item.Attempt < 2 || s.analyzer.calls.Load() != 1 {
		t.Errorf("done at attempt %d after %d analyses, want a later attempt than the first, and one analysis", item.Attempt,
			s.analyzer.calls.Load())
	}
}

func TestDeadWorkersWorkIsDoneByAnother(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	d := s.intake(t, "")
	dead := work.Ref{ID: d.WorkID, Kind: aicreation.WorkAnalyse, Queue: work.Interactive, Attempt: 1}
	if _, err := s.rows.Claim(t.Context(), dead, 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	start(t, s.worker.Run)
	start(t, s.sweeper.Run)
	// On a busy machine the sweep may give up on the second attempt too.
	if item := s.await(t, d.WorkID, work.Done); item.Attempt < 2 || s.analyzer.calls.Load() != 1 {
		t.Errorf("done at attempt %d after %d analyses, want a later attempt than the dead worker's, and one analysis",
			item.Attempt, s.analyzer.calls.Load())
	}
}

func TestLeaseOfSlowWorkIsKept(t *testing.T) {
	t.Parallel()
	const lease = 3 * time.Second // of which a slow machine may need two to extend it
	s := newSetup(t, lease)
	s.analyzer.do = func(int32) error { time.Sleep(lease + time.Second); return nil }
	s.sweeper.Quiet = time.Minute // it must take no attempt for lost that the worker has yet to claim
	start(t, s.worker.Run)
	start(t, s.sweeper.Run)
	d := s.intake(t, "")
	if item := s.await(t, d.WorkID, work.Done); item.Attempt != 1 || s.analyzer.calls.Load() != 1 {
		t.Errorf("done at attempt %d after %d analyses; its lease should have been kept", item.Attempt,
			s.analyzer.calls.Load())
	}
}

func TestWorkThatKillsItsWorkersEnds(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	channel := "test:" + uuid.NewString()
	messages := s.redis.Subscribe(t.Context(), channel)
	defer messages.Close()
	d := s.intake(t, channel)
	testkit.Exec(t, s.url, "UPDATE work SET losses = 19")
	ref := work.Ref{ID: d.WorkID, Kind: aicreation.WorkAnalyse, Queue: work.Interactive, Attempt: 1}
	if _, err := s.rows.Claim(t.Context(), ref, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	start(t, s.sweeper.Run)
	s.await(t, d.WorkID, work.Failed)
	select {
	case message := <-messages.Channel():
		if message.Payload != d.WorkID.String() {
			t.Errorf("the waiter was told %q", message.Payload)
		}
	case <-time.After(10 * time.Second):
		t.Error("the waiter was not told of the end")
	}
}

func TestEnqueueTwiceIsNoError(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	ref := work.Ref{ID: uuid.New(), Kind: "test", Queue: work.Interactive, Attempt: 1}
	for range 2 {
		if err := s.client.Enqueue(t.Context(), ref, 0); err != nil {
			t.Fatal(err)
		}
	}
	tasks, err := asynq.NewInspectorFromRedisClient(s.redis).ListPendingTasks(work.Interactive)
	if err != nil || len(tasks) != 1 || tasks[0].MaxRetry != 0 || tasks[0].Timeout == 0 {
		t.Errorf("tasks %+v, %v", tasks, err)
	}
	if strings.Contains(string(tasks[0].Payload), "pitch") {
		t.Errorf("the payload holds more than ids: %s", tasks[0].Payload)
	}
}

func TestDashboardAndQueueMetrics(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	s.intake(t, "")
	answer := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/queues/api/queues", nil)
	jobs.Dashboard(s.redis, "/admin/queues").ServeHTTP(answer, request)
	if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), `"queue":"interactive"`) {
		t.Errorf("dashboard: %d %s", answer.Code, answer.Body)
	}
	page := httptest.NewRecorder()
	jobs.Dashboard(s.redis, "/admin/queues").ServeHTTP(page,
		httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/queues/", nil))
	if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "/admin/queues/static/js/main") ||
		strings.Contains(page.Body.String(), "https://") {
		t.Errorf("the dashboard's page: %d %s", page.Code, page.Body)
	}
	processes, queues, err := jobs.NewClient(s.redis).Fleet()
	if err != nil || len(processes) != 0 || len(queues) != 1 || queues[0].Name != "interactive" || queues[0].Waiting != 1 {
		t.Errorf("the fleet is %+v %+v, %v", processes, queues, err)
	}
	want := "# HELP dealflow_queue_tasks Tasks in the queue.\n# TYPE dealflow_queue_tasks gauge\n" +
		`dealflow_queue_tasks{queue="interactive",state="active"} 0` + "\n" +
		`dealflow_queue_tasks{queue="interactive",state="archived"} 0` + "\n" +
		`dealflow_queue_tasks{queue="interactive",state="pending"} 1` + "\n" +
		`dealflow_queue_tasks{queue="interactive",state="retry"} 0` + "\n" +
		`dealflow_queue_tasks{queue="interactive",state="scheduled"} 0` + "\n"
	if err := testutil.CollectAndCompare(jobs.NewQueueMetrics(s.redis), strings.NewReader(want),
		"dealflow_queue_tasks"); err != nil {
		t.Error(err)
	}
}

func TestTheSweepForgetsOldSessionsAndInvitations(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	testkit.Exec(t, s.url, `INSERT INTO sessions (id, user_id, hash, expires_at)
		SELECT gen_random_uuid(), u.id, sha256(ends::bytea), now() + ends::interval FROM users u, unnest(ARRAY['1 hour',
			'-1 hour']) AS ends LIMIT 2`)
	testkit.Exec(t, s.url, `INSERT INTO invitations (id, account_id, email, role, invited_by, hash, expires_at,
		accepted_at)
		SELECT gen_random_uuid(), m.account_id, used || ends, 'member', m.user_id, sha256((used || ends)::bytea), now() +
			ends::interval, CASE used WHEN 'used' THEN now() END
		FROM (SELECT * FROM memberships LIMIT 1) m, unnest(ARRAY['used', 'open']) AS used, unnest(ARRAY['1 day',
			'-29 days', '-31 days']) AS ends`)
	start(t, s.sweeper.Run)
	const left = "SELECT count(*)::text FROM sessions WHERE expires_at > now() UNION ALL SELECT email FROM invitations " +
		"ORDER BY 1"
	want := []string{"1", "open-29 days", "open1 day", "used-29 days", "used1 day"}
	for range 100 {
		if slices.Equal(testkit.Texts(t, s.url, left), want) && testkit.Count(t, s.url, "sessions") == 1 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("left are %v and %d sessions, want %v", testkit.Texts(t, s.url, left), testkit.Count(t, s.url, "sessions"),
		want)
}

func TestTheSweepForgetsOldIdempotencyKeys(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	testkit.Exec(t, s.url, `INSERT INTO idempotency_keys (user_id, key, attempt, lease_until, created_at)
		SELECT gen_random_uuid(), age, gen_random_uuid(), now() - interval '1 hour', now() - age::interval FROM
			unnest(ARRAY['23 hours', '25 hours']) AS age`)
	start(t, s.sweeper.Run)
	for range 100 {
		if left := testkit.Texts(t, s.url, "SELECT key FROM idempotency_keys"); len(left) == 1 && left[0] == "23 hours" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("left are %v", testkit.Texts(t, s.url, "SELECT key FROM idempotency_keys"))
}

func TestTheSweepForgetsOldTokensOfMailgun(t *testing.T) {
	t.Parallel()
	s := newSetup(t, time.Minute)
	testkit.Exec(t, s.url, `INSERT INTO mailgun_tokens (account_id, hash, brought, created_at)
		SELECT a.id, age::bytea, '', now() - age::interval FROM (SELECT id FROM accounts LIMIT 1) a, unnest(ARRAY[
			'23 hours', '25 hours']) AS age`)
	start(t, s.sweeper.Run)
	for range 100 {
		if left := testkit.Texts(t, s.url, "SELECT encode(hash, 'escape') FROM mailgun_tokens"); len(left) == 1 &&
			left[0] == "23 hours" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("left are %v", testkit.Texts(t, s.url, "SELECT encode(hash, 'escape') FROM mailgun_tokens"))
}
