// Package serve runs an HTTP server with limits: for its connections, for the time that a client may take to read, and
// for the time in which the server must stop. Drain describes how it stops.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Drain says how a server stops. For Delay it serves as before, so that a load balancer can notice that it must send no
// more requests. Then it accepts no new connection, and running requests may take Grace. CutOff, if it is not nil, is
// called lastMoment before Grace ends, or at once if Grace is shorter, unless all requests have ended by then: it is
// for requests that are still coming in and will not end in time.
type Drain struct {
	Delay, Grace time.Duration
	CutOff       func()
}

// DrainTime is how long running requests may take to end once no new ones are accepted.
const DrainTime = 10 * time.Second

// lastMoment is how long before the end of Grace CutOff is called. It is also how long handlers may take to return once
// their connections were closed.
const lastMoment = 2 * time.Second

// Run serves on the listener until ctx ends and then drains. It returns when no handler runs any more, or when their
// time is over; the listener is closed then. Requests that did not end in time are logged and are not errors. The error
// says why the server could not serve. Run replaces server.Handler by one that counts running calls.
func Run(ctx context.Context, server *http.Server, listener net.Listener, drain Drain, log *slog.Logger) error {
	var running atomic.Int64
	server.Handler = counted(server.Handler, &running)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		stop(context.WithoutCancel(ctx), server, drain, log)
		wait(&running, lastMoment)
		return nil
	})
	return group.Wait()
}

func stop(ctx context.Context, server *http.Server, drain Drain, log *slog.Logger) {
	time.Sleep(drain.Delay)
	if drain.CutOff != nil {
		cut := time.AfterFunc(max(0, drain.Grace-lastMoment), drain.CutOff)
		defer cut.Stop()
	}
	ctx, cancel := context.WithTimeout(ctx, drain.Grace)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		log.WarnContext(ctx, "some requests did not end in time; their connections are closed", "grace",
			drain.Grace.String(), "error", err)
		_ = server.Close()
	}
}

// counted returns a handler that calls next and keeps in running the number of calls that have not returned, so that
// Run can wait for those whose connections were closed.
func counted(next http.Handler, running *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.Add(1)
		defer running.Add(-1)
		next.ServeHTTP(w, r)
	})
}

func wait(running *atomic.Int64, limit time.Duration) {
	for end := time.Now().Add(limit); running.Load() > 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}
