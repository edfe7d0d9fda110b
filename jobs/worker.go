package jobs

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/attachment"
	"dealflow/internal/ingest/creation"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/wakeup"
	"dealflow/internal/webhook"
	"dealflow/internal/work"
)

// Deps are the dependencies and settings of a worker. All are required, unless they say what 0 means.
type Deps struct {
	Redis       redis.UniversalClient
	Work        *work.Store
	Publisher   *wakeup.Publisher
	Companies   *company.Service
	Analyst     *analyst.Analyst
	Imports     *imports.Writer
	Receiver    *hooks.Receiver
	Creations   *creation.Service
	Webhooks    *webhook.Service
	Sending     int           // messages of webhooks sent at once; 0, as in the next two, for none
	Concurrency int           // interactive tasks at once
	Bulk        int           // bulk tasks at once
	Lease       time.Duration // how long a worker may go without extending it before another worker gets the attempt
	Grace       time.Duration // for running attempts to finish once the worker is stopped; 0: 5 seconds
	Metrics     prometheus.Registerer
	Logger      *slog.Logger
}

// Worker does the work that is in the queues.
type Worker struct {
	deps Deps

	metrics  *metrics
	stopping chan struct{}   // closed once no new task is to be begun
	ending   context.Context // ends once attempts that still run are to be handed over
	end      context.CancelFunc
}

// NewWorker returns a Worker, and registers its metrics with deps.Metrics. It panics if another Worker has registered
// its metrics there.
func NewWorker(deps Deps) *Worker {
	w := &Worker{deps: deps, metrics: newMetrics(deps.Metrics), stopping: make(chan struct{})}
	w.ending, w.end = context.WithCancel(context.Background())
	return w
}

// Run does the work of the queues until ctx ends. Then it lets running attempts finish for Grace, hands those that
// still run over to other workers, and returns nil. It returns an error, without waiting for ctx, if the server of a
// queue cannot be started. It must be called once. Each queue has its own asynq server: in a common server one queue
// could occupy all slots for tasks.
func (w *Worker) Run(ctx context.Context) error {
	var servers []*asynq.Server
	defer func() {
		close(w.stopping)
		defer w.end()
		defer time.AfterFunc(cmp.Or(w.deps.Grace, finishGrace), w.end).Stop()
		var ended sync.WaitGroup
		for _, server := range servers {
			ended.Go(server.Shutdown)
		}
		ended.Wait()
	}()
	for _, q := range []struct {
		name              string
		concurrency       int
		interval, delayed time.Duration
	}{
		{work.Interactive, w.deps.Concurrency, checkInterval, delayedInterval},
		{work.Bulk, w.deps.Bulk, bulkInterval, bulkDelayed},
		{work.Webhooks, w.deps.Sending, bulkInterval, webhooksDelayed},
	} {
		if q.concurrency == 0 {
			continue
		}
		connection := &waiting{UniversalClient: w.deps.Redis, queue: q.name, stopping: w.stopping, log: w.deps.Logger}
		server := asynq.NewServerFromRedisClient(connection, asynq.Config{
			Concurrency:              q.concurrency,
			Queues:                   map[string]int{q.name: 1},
			TaskCheckInterval:        q.interval,
			DelayedTaskCheckInterval: q.delayed,
			JanitorInterval:          janitorInterval,
			ShutdownTimeout:          shutdownTimeout,
			Logger:                   logger{w.deps.Logger},
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

// mux returns the handlers by kind of work. asynq compares prefixes, so no kind may have a name with which the name of
// another kind begins.
func (w *Worker) mux() *asynq.ServeMux {
	mux := asynq.NewServeMux()
	mux.HandleFunc(aicreation.WorkAnalyse, w.handleLoaded(w.deps.Analyst.Begin))
	mux.HandleFunc(aicreation.WorkPreview, w.handleLoaded(w.deps.Analyst.Begin))
	mux.HandleFunc(aicreation.WorkReread, w.handleLoaded(w.deps.Analyst.Begin))
	mux.HandleFunc(attachment.WorkRead, w.handle(w.deps.Analyst.Read))
	mux.HandleFunc(company.WorkPurge, w.handle(w.deps.Companies.Purge))
	mux.HandleFunc(imports.WorkImport, w.handle(w.importRows))
	mux.HandleFunc(imports.WorkUndo, w.handle(w.undoImport))
	mux.HandleFunc(hooks.WorkReceive, w.handle(w.deps.Receiver.StoreMail))
	mux.HandleFunc(creation.WorkCreate, w.handle(w.deps.Creations.Create))
	mux.HandleFunc(webhook.WorkDeliver, w.handle(w.sendMessage))
	return mux
}
