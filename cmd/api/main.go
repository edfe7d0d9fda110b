// Command api is the HTTP process. Any number of them share one Postgres, one Redis and one storage. It is set up by environment
// variables; see the README.
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
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"dealflow/internal/config"
	"dealflow/internal/logs"
)

// drainTime is how long requests may go on after the process was told to stop.
const drainTime = 10 * time.Second

func main() {
	cfg, err := config.LoadAPI()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := logs.New(os.Stderr, cfg.Log.Level).With("process", "api")
	if err := run(ctx, cfg, log); err != nil {
		log.Error("the API ended", "error", err)
		os.Exit(1)
	}
}

// run serves until the context ends, then lets requests finish. The error says what kept it from serving.
func run(ctx context.Context, cfg config.API, log *slog.Logger) error {
	a, err := build(ctx, cfg, log)
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
	return serve(ctx, server, listener, a, log)
}

func serve(ctx context.Context, server *http.Server, listener net.Listener, a *api, log *slog.Logger) error {
	// The hub outlives the signal: requests that are being answered still wait for their work.
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { a.hub.Run(background); return nil })
	group.Go(func() error { a.watcher.Run(background); return nil })
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		defer stopBackground()
		drain, cancel := context.WithTimeout(background, drainTime)
		defer cancel()
		if err := server.Shutdown(drain); err != nil {
			return errors.Join(err, server.Close())
		}
		return nil
	})
	log.InfoContext(ctx, "the API serves", "address", listener.Addr().String())
	return group.Wait()
}
