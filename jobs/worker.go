package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/company"
	"dealflow/internal/ingest"
	"dealflow/internal/logs"
	"dealflow/internal/notify"
	"dealflow/internal/work"
)

// Deps are what a worker is made of.
type Deps struct {
	Redis       redis.UniversalClient
	Work        *work.Store
	Publisher   *notify.Publisher
	Companies   *company.Analyst
	Imports     *ingest.Writer
	Receiver    *ingest.Receiver
	Creations   *ingest.Creations
	Concurrency int           // interactive tasks at once
	Bulk        int           // bulk tasks at once
	Lease       time.Duration // without a sign of life for this long, an attempt is given to another worker
	Metrics     prometheus.Registerer
	Logger      *slog.Logger
}

// Worker takes work from the queue.
type Worker struct {
	Deps

	metrics  *metrics
	stopping chan struct{} // closed once no task should be begun or gone on with
}

// NewWorker makes a worker.
func NewWorker(deps Deps) *Worker {
	return &Worker{Deps: deps, metrics: newMetrics(deps.Metrics), stopping: make(chan struct{})}
}

// Run works until the context ends, then lets what runs finish for some seconds. It runs once. Each queue has a server of its own: asynq would let
// the tasks of one queue take every place of a common one.
func (w *Worker) Run(ctx context.Context) error {
	var servers []*asynq.Server
	defer func() {
		close(w.stopping)
		var ended sync.WaitGroup
		for _, server := range servers {
			ended.Go(server.Shutdown)
		}
		ended.Wait()
	}()
	for _, q := range []struct {
		name        string
		concurrency int
		interval    time.Duration
	}{{work.Interactive, w.Concurrency, checkInterval}, {work.Bulk, w.Bulk, bulkInterval}} {
		server := asynq.NewServerFromRedisClient(w.Redis, asynq.Config{
			Concurrency:              q.concurrency,
			Queues:                   map[string]int{q.name: 1},
			TaskCheckInterval:        q.interval,
			DelayedTaskCheckInterval: delayedInterval,
			ShutdownTimeout:          shutdownTimeout,
			Logger:                   logger{w.Logger},
			LogLevel:                 asynq.InfoLevel,
		})
		if err := server.Start(w.mux()); err != nil {
			return fmt.Errorf("start the server of the queue %s: %w", q.name, err)
		}
		servers = append(servers, server)
	}
	<-ctx.Done()
	return nil
}

// mux matches by prefix, so no kind may begin with another.
func (w *Worker) mux() *asynq.ServeMux {
	mux := asynq.NewServeMux()
	mux.HandleFunc(company.WorkAnalyse, w.handle(w.analyse))
	mux.HandleFunc(company.WorkPreview, w.handle(w.analyse))
	mux.HandleFunc(company.WorkRead, w.handle(w.read))
	mux.HandleFunc(company.WorkPurge, w.handle(w.purge))
	mux.HandleFunc(ingest.WorkImport, w.handle(w.importRows))
	mux.HandleFunc(ingest.WorkReceive, w.handle(w.takeIn))
	mux.HandleFunc(ingest.WorkCreate, w.handle(w.createCompany))
	return mux
}

// handle claims the row that a task speaks of, keeps its lease while do runs, and gives the attempt back where do fails. The
// queue hears of an error only where the row could not be claimed; the sweep finds that row.
func (w *Worker) handle(do func(context.Context, work.Item) error) func(context.Context, *asynq.Task) error {
	return func(ctx context.Context, task *asynq.Task) error {
		var body payload
		if err := json.Unmarshal(task.Payload(), &body); err != nil {
			return fmt.Errorf("read the task's payload: %w", err)
		}
		item, err := w.Work.Claim(ctx, work.Ref{ID: body.ID, Attempt: body.Attempt}, w.Lease)
		if errors.Is(err, work.ErrTaken) {
			return nil
		}
		if err != nil {
			return err
		}
		ctx = logs.With(ctx, slog.String("request_id", item.RequestID), slog.String("work_id", item.ID.String()), slog.String("kind", item.Kind), slog.Int("attempt", item.Attempt))
		started := time.Now()
		err = w.attempt(ctx, item, do)
		w.settle(ctx, item, err)
		w.metrics.observe(item, err, time.Since(started))
		if item.Queue == work.Bulk { // there is room for another of the account's
			w.Work.AdmitOf(ctx, item.AccountID)
		}
		return nil
	}
}

// attempt runs do under a lease that is prolonged thrice in its length; losing it ends do's context. A panic is an error like others.
func (w *Worker) attempt(ctx context.Context, item work.Item, do func(context.Context, work.Item) error) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go w.keepLease(ctx, cancel, item.Ref())
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
		if cause := context.Cause(ctx); err != nil && errors.Is(cause, work.ErrLost) {
			err = work.ErrLost
		}
	}()
	return do(ctx, item)
}

func (w *Worker) keepLease(ctx context.Context, cancel context.CancelCauseFunc, ref work.Ref) {
	ticker := time.NewTicker(w.Lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := w.Work.Extend(ctx, ref, w.Lease); errors.Is(err, work.ErrLost) {
			cancel(work.ErrLost)
			return
		}
	}
}

// settle tells whoever waits, or gives the attempt back.
func (w *Worker) settle(ctx context.Context, item work.Item, err error) {
	ctx = context.WithoutCancel(ctx)
	over := err == nil
	switch {
	case over:
		w.Logger.InfoContext(ctx, "work done")
	case errors.Is(err, work.ErrLost):
		w.Logger.WarnContext(ctx, "work was lost to another worker")
	default:
		w.Logger.ErrorContext(ctx, "work failed", "error", err)
		var failed error
		if over, failed = w.Work.Release(ctx, item, err, backoff(item.Attempt), false); failed != nil {
			w.Logger.ErrorContext(ctx, "work could not be released; its lease will run out", "error", failed)
		}
	}
	if over {
		w.tell(ctx, item.Waiter, item.ID.String())
	}
}

func (w *Worker) tell(ctx context.Context, waiter, id string) {
	if err := w.Publisher.Publish(ctx, waiter, id); err != nil {
		w.Logger.WarnContext(ctx, "whoever waits could not be told; he will see it in the row", "error", err)
	}
}

// backoff is how long to wait before the attempt after this one: 1, 4, 9 … seconds.
func backoff(attempt int) time.Duration { return time.Duration(attempt*attempt) * time.Second }
