package redisconn_test

import (
	"log/slog"
	"syscall"
	"testing"
	"time"

	"dealflow/internal/redisconn"
	"dealflow/internal/testkit"
)

// TestAStoppedServerIsAskedNoMore stops a real server with SIGSTOP: one command waits, later ones fail at once, and
// commands work again by themselves when the server goes on.
func TestAStoppedServerIsAskedNoMore(t *testing.T) {
	t.Parallel()
	own := testkit.StartRedis(t)
	parsed, err := redisconn.Parse(own.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := parsed.Client()
	defer client.Close()
	state := redisconn.Watch(client, slog.New(slog.DiscardHandler))
	defer state.Close()
	if err := client.Set(t.Context(), "a", "1", 0).Err(); err != nil {
		t.Fatal(err)
	}
	own.Signal(syscall.SIGSTOP)
	began := time.Now()
	if err := client.Get(t.Context(), "a").Err(); !redisconn.IsUnreachable(err) || time.Since(began) > 8*time.Second {
		t.Errorf("the first command: %v after %s", err, time.Since(began))
	}
	await(t, "known to be away", state.Away)
	began = time.Now()
	for range 100 {
		if err := client.Get(t.Context(), "a").Err(); !redisconn.IsUnreachable(err) {
			t.Fatalf("a later command: %v", err)
		}
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("a hundred commands took %s", took)
	}
	own.Signal(syscall.SIGCONT)
	await(t, "known to answer", func() bool { return !state.Away() })
	if got, err := client.Get(t.Context(), "a").Result(); err != nil || got != "1" {
		t.Errorf("after the outage: %q, %v", got, err)
	}
	if err := client.LPush(t.Context(), "a", "x").Err(); err == nil || redisconn.IsUnreachable(err) {
		t.Errorf("a refusal is taken for an outage: %v", err)
	}
}

func await(t *testing.T, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !met(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: never", what)
		}
	}
}
