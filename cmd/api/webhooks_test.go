package main

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"dealflow/internal/testkit"
)

// stuckLog is a handler that holds the first line about deliveries that could not be created until it is released.
type stuckLog struct {
	slog.Handler

	stuck, released chan struct{}
}

func (l stuckLog) Handle(_ context.Context, record slog.Record) error {
	if strings.HasPrefix(record.Message, "deliveries of webhooks could not be created") {
		close(l.stuck)
		<-l.released
	}
	return nil
}

// TestAPIWaitsForTheLoopOfWebhooks ends the loop that creates deliveries while it is busy. The sender, whose Redis does
// not answer, ends at once.
func TestAPIWaitsForTheLoopOfWebhooks(t *testing.T) {
	log := stuckLog{slog.NewTextHandler(nil, nil), make(chan struct{}), make(chan struct{})}
	a := built(t, "redis://127.0.0.1:1", slog.New(log))
	_, err := testkit.Administrator(t, a.cfg.Database.URL).ExecContext(t.Context(),
		"ALTER FUNCTION app_webhooks_behind() RENAME TO app_webhooks_elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.runWebhooks(ctx)
	}()
	select {
	case <-log.stuck:
	case <-time.After(time.Minute):
		t.Fatal("nothing was logged of a database without the function")
	}
	stop()
	select {
	case <-ended:
		t.Error("runWebhooks returned while its loop was busy")
	case <-time.After(time.Second):
	}
	close(log.released)
	<-ended
}
