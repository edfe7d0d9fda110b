package ratelimit_test

import (
	"context"
	"log/slog"
	"net"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"dealflow/internal/ratelimit"
	"dealflow/internal/testkit"
)

// TestOutage stops the server and starts it again: meanwhile the process counts alone, which it logs once.
func TestOutage(t *testing.T) {
	t.Parallel()
	s := testkit.StartRedis(t)
	c, told := &clock{now: noon()}, &log{}
	limiter := ratelimit.New(connect(t, s.URL), ratelimit.Options{
		PerMinute: 3, Logger: slog.New(slog.NewTextHandler(told, nil)), Clock: c.Now,
	})
	if d := limiter.Allow(t.Context(), "a"); !d.Allowed || d.Remaining != 2 ||
		d.Reset.Before(time.Now().Add(-time.Minute)) {
		t.Errorf("with Redis: %+v", d)
	}
	s.Stop()
	allowed := 0
	for i := range 20 {
		c.set(noon().Add(time.Duration(i) * 100 * time.Millisecond))
		if limiter.Allow(t.Context(), "a").Allowed {
			allowed++
		}
	}
	if allowed != 3 {
		t.Errorf("allowed %d alone, want the limit of 3", allowed)
	}
	if lines := told.lines(); len(lines) != 1 || !strings.Contains(lines[0], "level=ERROR") ||
		!strings.Contains(lines[0], "refused") {
		t.Errorf("the log has %q", lines)
	}
	s.Start()
	c.set(noon().Add(4 * time.Second))
	if d := limiter.Allow(t.Context(), "a"); !d.Allowed || d.Remaining != 2 {
		t.Errorf("with Redis again: %+v", d)
	}
	if lines := told.lines(); len(lines) != 1 {
		t.Errorf("the log has %q", lines)
	}
}

// TestSilentServer asks a server that accepts connections and never answers: one request waits, the next do not.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	c := &clock{now: noon()}
	limiter := newLimiter(t, connect(t, "redis://"+silent.Addr().String()), c, 0, 1000)
	start := time.Now()
	limiter.Allow(t.Context(), "a")
	if waited := time.Since(start); waited > 2*time.Second {
		t.Errorf("the first request waited %v", waited)
	}
	start = time.Now()
	for range 500 {
		limiter.Allow(t.Context(), "a")
	}
	if waited := time.Since(start); waited > 200*time.Millisecond {
		t.Errorf("500 requests waited %v", waited)
	}
}

// TestOneRequestTriesAgain sends many requests at the same time after the pause: only one of them may wait for Redis.
func TestOneRequestTriesAgain(t *testing.T) {
	t.Parallel()
	s := miniredis.RunT(t)
	s.SetTime(noon())
	s.SetError("ERR no such luck")
	c := &clock{now: noon()}
	client := connect(t, "redis://"+s.Addr())
	limiter := newLimiter(t, client, c, 0, 1000)
	limiter.Allow(t.Context(), "a")
	asked := count(client)
	for i, want := range []int64{0, 1, 0} { // at once, after the pause, at once after that
		before := asked.Load()
		if i == 1 {
			c.set(noon().Add(time.Second))
		}
		hammer(t.Context(), 80, limiter)
		if got := asked.Load() - before; got != want {
			t.Errorf("step %d: %d requests asked, want %d", i, got, want)
		}
	}
	s.SetError("")
	c.set(noon().Add(2 * time.Second))
	limiter.Allow(t.Context(), "a")
	hammer(t.Context(), 80, limiter)
	if got := s.HGet("ratelimit:a", "in_minute"); got != "81" {
		t.Errorf("Redis counted %q of 81 requests after the outage", got)
	}
}

// TestHangingUpIsCounted cancels requests, as a client may: they count like others, and are not an outage.
func TestHangingUpIsCounted(t *testing.T) {
	t.Parallel()
	limiter := newLimiter(t, testkit.Redis(t), nil, 0, 3)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for n := range 5 {
		if got := limiter.Allow(gone, "a").Allowed; got != (n < 3) {
			t.Errorf("request %d: %v", n+1, got)
		}
	}
	if limiter.Allow(t.Context(), "a").Allowed {
		t.Error("requests of clients that hung up were not counted")
	}
}

// TestOutageMemory floods a process from very many addresses while Redis is away: it may use 24 MiB, and must still
// allow a request from another one.
func TestOutageMemory(t *testing.T) { // not parallel: it measures the whole process
	limiter := newLimiter(t, connect(t, "redis://127.0.0.1:1"), &clock{now: noon()}, 10, 100)
	before := heap()
	for i := range 500_000 {
		limiter.Allow(t.Context(), "address:2001:db8::"+strconv.Itoa(i))
	}
	if used := int64(heap()) - int64(before); used > 24<<20 {
		t.Errorf("half a million subjects took %d bytes", used)
	}
	if !limiter.Allow(t.Context(), "another").Allowed {
		t.Error("a full table refuses a newcomer")
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
