// Command worker is the process that reads PDFs and analyzes companies, writes imports and sends mails. Any number of
// workers may share one Postgres, one Redis and one storage. Environment variables configure it; see the README.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"dealflow/internal/config"
	"dealflow/internal/logs"
	"dealflow/internal/pdftext"
	"dealflow/internal/program"
	"dealflow/internal/tracing"
)

func main() {
	if pdftext.IsChild() {
		os.Exit(pdftext.RunChild())
	}
	usage := program.Usage{
		Name: "worker", Does: "Reads documents and analyzes companies.", Settings: config.WorkerSettings(),
	}
	if code, done := program.Answer(usage, os.Args[1:], os.Stdout, os.Stderr); done {
		os.Exit(code)
	}
	cfg, err := config.LoadWorker()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	lowerPriority()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := logs.New(os.Stderr, cfg.Log.Level, cfg.Log.Format).With("process", "worker")
	for _, doubt := range config.Misspelled() {
		log.Warn(doubt)
	}
	err = traced(ctx, cfg, log)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil { // stopped before it was started
		err = nil
	}
	if err != nil {
		log.Error("the worker ended", "error", err)
		os.Exit(1)
	}
}

// traced calls run, and sends traces meanwhile if a collector is configured. It returns the error of run, or an error
// of the settings of the collector, after which run is not called.
func traced(ctx context.Context, cfg config.Worker, log *slog.Logger) error {
	headers, err := cfg.Tracing.Headers()
	if err != nil {
		return err
	}
	to := tracing.Collector{URL: cfg.Tracing.URL(), Headers: headers, Timeout: cfg.Tracing.Timeout()}
	traces, err := tracing.Start(ctx, to, "dealflow-worker", log)
	if err != nil {
		return err
	}
	defer traces.Close()
	return run(ctx, cfg, traces, log)
}

// run works until ctx ends, then lets running work finish and returns nil. The error is the reason why it could not
// start or had to stop.
func run(ctx context.Context, cfg config.Worker, traces *tracing.Tracing, log *slog.Logger) error {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewBuildInfoCollector())
	w, err := build(ctx, cfg, traces, registry, log)
	if err != nil {
		return err
	}
	defer w.close()
	server := &http.Server{
		Addr: cfg.HTTP.Addr, Handler: w.health(registry, ctx.Done()), ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute,
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return w.sweeper.Run(ctx) })
	if w.outbox != nil {
		group.Go(func() error { w.outbox.Run(ctx); return nil })
	}
	group.Go(func() error {
		if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("WORKER_HTTP_ADDR %s: %w", cfg.HTTP.Addr, err)
		}
		return nil
	})
	log.InfoContext(ctx, "the worker runs", "address", cfg.HTTP.Addr)
	// The HTTP server is closed after the last task, so that until then /readyz says that the worker stops.
	group.Go(func() error {
		defer server.Close()
		w.prepareReader(ctx)
		return w.jobs.Run(ctx)
	})
	return group.Wait()
}

// prepareReader compiles the second PDF reader, unless that was done before, and then sets prepared. The worker begins
// no work until prepareReader returns, so that no document waits for the reader. A failure is only logged: the reader
// is then compiled when a document first needs it.
func (w *worker) prepareReader(ctx context.Context) {
	if err := w.reader.Warm(ctx); err != nil && ctx.Err() == nil {
		w.log.WarnContext(ctx, "the second PDF reader could not be compiled; it will be when it is first needed", "error",
			err)
	}
	w.prepared.Store(true)
}
