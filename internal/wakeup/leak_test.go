package wakeup_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"dealflow/internal/testkit"
	"dealflow/internal/wakeup"
)

// TestNothingIsLeftBehind counts goroutines, with many waiters and after the end.
func TestNothingIsLeftBehind(t *testing.T) { // not parallel: it measures the whole process
	client := testkit.Redis(t)
	before := runtime.NumGoroutine()
	rows := new(truth)
	hub := wakeup.NewHub(client, wakeup.Options{
		ID: t.Name(), Poll: time.Millisecond, Ended: rows.look, Logger: slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		hub.Run(ctx)
		close(ended)
	}()
	listening(t, client, hub)
	running := runtime.NumGoroutine()
	var waiters []*wakeup.Waiter
	for i := range 1000 {
		waiters = append(waiters, hub.Register(fmt.Sprint(i)))
	}
	if more := runtime.NumGoroutine() - running; more > 5 {
		t.Errorf("a thousand waiters brought %d goroutines", more)
	}
	for _, w := range waiters {
		w.Close()
	}
	looks := len(rows.looks())
	time.Sleep(20 * time.Millisecond)
	if now := len(rows.looks()); now > looks+1 { // one may have been under way
		t.Errorf("closed waiters are still asked for: %d looks", now-looks)
	}
	cancel()
	<-ended
	eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= before })
	if n := client.PubSubNumSub(t.Context(), hub.Channel()).Val()[hub.Channel()]; n != 0 {
		t.Errorf("%d still listen", n)
	}
}
