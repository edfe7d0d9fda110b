package outage

import (
	"context"
	"time"
)

// awaitReminder is the time between log lines about a server that is still waited for.
const awaitReminder = time.Minute

// Await calls try, with pauses between, until it returns nil, and then returns nil. If opts.Is is false for an error of
// try, Await returns that error at once. If ctx ends in a pause, it returns the error of ctx. It logs once a minute
// that it waits. It is for the start of a process, before anything depends on the server. Of opts, only Name, Is and
// Log are used.
func Await(ctx context.Context, opts Options, try func(context.Context) error) error {
	began, said := time.Now(), time.Time{}
	for {
		err := try(ctx)
		if err == nil || !opts.Is(err) {
			if err == nil && !said.IsZero() {
				opts.Log.InfoContext(ctx, "a server answers now", "server", opts.Name, "after",
					time.Since(began).Round(time.Millisecond).String())
			}
			return err
		}
		if time.Since(said) >= awaitReminder {
			said = time.Now()
			opts.Log.ErrorContext(ctx, "a server does not answer; the process waits for it before it starts", "server",
				opts.Name, "error", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pingPause):
		}
	}
}
