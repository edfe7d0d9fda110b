// Command api is the process that serves HTTP. Any number of these processes may share one Postgres, one Redis and one
// storage. Environment variables configure it; see the README.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"dealflow/internal/config"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/logs"
	"dealflow/internal/pdftext"
	"dealflow/internal/program"
	"dealflow/internal/serve"
	"dealflow/internal/tracing"
)

func main() {
	if pdftext.IsChild() {
		os.Exit(pdftext.RunChild())
	}
	usage := program.Usage{Name: "api", Does: "Serves the HTTP interface.", Settings: config.APISettings()}
	if code, done := program.Answer(usage, os.Args[1:], os.Stdout, os.Stderr); done {
		os.Exit(code)
	}
	cfg, err := config.LoadAPI()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := logs.New(os.Stderr, cfg.Log.Level, cfg.Log.Format).With("process", "api")
	for _, doubt := range append(config.Misspelled(), cfg.HTTP.Doubts()...) {
		log.Warn(doubt)
	}
	err = traced(ctx, cfg, log)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil { // stopped before it was started
		err = nil
	}
	if err != nil {
		log.Error("the API ended", "error", err)
		os.Exit(1)
	}
}

// traced calls run, and sends traces meanwhile if a collector is configured. It returns the error of run, or an error
// of the settings of the collector, after which run is not called.
func traced(ctx context.Context, cfg config.API, log *slog.Logger) error {
	headers, err := cfg.Tracing.Headers()
	if err != nil {
		return err
	}
	to := tracing.Collector{URL: cfg.Tracing.URL(), Headers: headers, Timeout: cfg.Tracing.Timeout()}
	traces, err := tracing.Start(ctx, to, "dealflow-api", log)
	if err != nil {
		return err
	}
	defer traces.Close()
	return run(ctx, cfg, traces, log)
}

// run serves until ctx ends, then lets requests finish and returns nil. The error is the reason why it could not start
// or had to stop.
func run(ctx context.Context, cfg config.API, traces *tracing.Tracing, log *slog.Logger) error {
	a, err := build(ctx, cfg, traces, log)
	if err != nil {
		return err
	}
	defer a.close()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.HTTP.Addr)
	if err != nil {
		return fmt.Errorf("HTTP_ADDR %s: %w", cfg.HTTP.Addr, err)
	}
	server := &http.Server{
		Handler: a.handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	log.InfoContext(ctx, "the API accepts requests", "address", listener.Addr().String())
	return a.serve(ctx, server, serve.Listen(listener, a.limits()))
}

// serve serves until ctx ends, and returns once the last request and the background loops have ended. Requests may take
// until serve.DrainTime is over. It closes the listener. The error is that of serve.Run.
func (a *api) serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	// The hub outlives the signal: requests that are being answered still wait for their work.
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	var helpers sync.WaitGroup
	helpers.Go(func() { a.hub.Run(background) })
	helpers.Go(func() { a.watcher.Run(background) })
	helpers.Go(func() { a.changes.Run(background) })
	helpers.Go(func() { a.feed.Run(background) })
	helpers.Go(func() { a.runWebhooks(ctx) })
	helpers.Go(func() {
		a.people.KeepUses(background, func(err error) {
			a.log.WarnContext(background, "the uses of sessions and keys could not be stored", "error", err)
		})
	})
	drain := serve.Drain{Delay: a.cfg.HTTP.DrainDelay, Grace: serve.DrainTime, CutOff: a.cutOff}
	err := serve.Run(ctx, server, listener, drain, a.log)
	stopBackground()
	helpers.Wait()
	return err
}

// limits returns the limits on connections to the API.
func (a *api) limits() serve.Limits {
	return serve.Limits{
		Total: a.cfg.Limits.MaxConnections, PerAddress: a.cfg.Limits.MaxPerAddress, Proxies: a.cfg.HTTP.Proxies(),
		Refusal: respond.ConnectionRefusal(), Refused: a.refused.Inc,
	}
}
