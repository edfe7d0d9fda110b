package ratelimit_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/ratelimit"
	"dealflow/internal/redisconn"
	"dealflow/internal/testkit"
)

// noon is the beginning of a minute.
func noon() time.Time { return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) }

// clock is a clock whose time a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// log keeps what a limiter logs.
type log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Split(strings.TrimSuffix(l.text.String(), "\n"), "\n")
}

func connect(t *testing.T, rawURL string) redis.UniversalClient {
	t.Helper()
	server, err := redisconn.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	client := server.Client()
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// bench is a limiter with a clock that a test sets, whether it counts in Redis or alone.
type bench struct {
	*ratelimit.Limiter
	t   *testing.T
	set func(time.Time)
}

// everywhere runs a test on windows in Redis, as miniredis keeps them, and on those of the process alone.
func everywhere(t *testing.T, perSecond, perMinute int, test func(b bench)) {
	t.Helper()
	t.Run("Redis", func(t *testing.T) {
		t.Parallel()
		s := miniredis.RunT(t)
		s.SetTime(noon())
		client := connect(t, "redis://"+s.Addr())
		test(bench{t: t, Limiter: newLimiter(t, client, nil, perSecond, perMinute), set: s.SetTime})
	})
	t.Run("this process", func(t *testing.T) {
		t.Parallel()
		c := &clock{now: noon()}
		test(bench{t: t, Limiter: newLimiter(t, connect(t, "redis://127.0.0.1:1"), c, perSecond, perMinute), set: c.set})
	})
}

// newLimiter returns a limiter. Unless a clock is given, the test fails if the limiter logs anything, as it does when
// Redis does not answer.
func newLimiter(t *testing.T, client redis.UniversalClient, c *clock, perSecond, perMinute int) *ratelimit.Limiter {
	t.Helper()
	options := ratelimit.Options{
		PerSecond: perSecond, PerMinute: perMinute, Prefix: "ratelimit:", Logger: slog.New(slog.DiscardHandler),
	}
	if c != nil {
		options.Clock = c.Now
	} else {
		options.Logger = slog.New(slog.NewTextHandler(failing{t}, nil))
	}
	return ratelimit.New(client, options)
}

// failing is a writer that fails the test when something is written.
type failing struct{ t *testing.T }

func (f failing) Write(p []byte) (int, error) {
	f.t.Errorf("the limiter logged %s", p)
	return len(p), nil
}

func want(t *testing.T, what string, got, want ratelimit.Decision) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// TestWindows walks over the borders of both windows.
func TestWindows(t *testing.T) {
	t.Parallel()
	everywhere(t, 3, 5, func(b bench) {
		t := b.t
		minute, next := noon().Add(time.Minute), noon().Add(2*time.Minute)
		for i, step := range []struct {
			at   time.Duration
			want ratelimit.Decision
		}{
			{0, ratelimit.Decision{Allowed: true, Limit: 5, Remaining: 4, Reset: minute}},
			{0, ratelimit.Decision{Allowed: true, Limit: 5, Remaining: 3, Reset: minute}},
			{999 * time.Millisecond, ratelimit.Decision{Allowed: true, Limit: 5, Remaining: 2, Reset: minute}},
			{999 * time.Millisecond, ratelimit.Decision{Limit: 3, Reset: noon().Add(time.Second), RetryAfter: time.Second}},
			{999 * time.Millisecond, ratelimit.Decision{Limit: 3, Reset: noon().Add(time.Second), RetryAfter: time.Second}},
			{time.Second, ratelimit.Decision{Allowed: true, Limit: 5, Remaining: 1, Reset: minute}},
			{time.Second, ratelimit.Decision{Allowed: true, Limit: 5, Remaining: 0, Reset: minute}},
			{time.Second, ratelimit.Decision{Limit: 5, Reset: minute, RetryAfter: 59 * time.Second}},
			{30*time.Second + 500*time.Millisecond, ratelimit.Decision{Limit: 5, Reset: minute, RetryAfter: 30 * time.Second}},
			{59*time.Second + 999*time.Millisecond, ratelimit.Decision{Limit: 5, Reset: minute, RetryAfter: time.Second}},
			{60 * time.Second, ratelimit.Decision{Allowed: true, Limit: 5, Remaining: 4, Reset: next}},
			{60 * time.Second, ratelimit.Decision{Allowed: true, Limit: 5, Remaining: 3, Reset: next}},
			{60 * time.Second, ratelimit.Decision{Allowed: true, Limit: 5, Remaining: 2, Reset: next}},
			{60 * time.Second, ratelimit.Decision{Limit: 3, Reset: minute.Add(time.Second), RetryAfter: time.Second}},
			{24 * time.Hour, ratelimit.Decision{
				Allowed: true, Limit: 5, Remaining: 4, Reset: noon().Add(24*time.Hour + time.Minute),
			}},
		} {
			b.set(noon().Add(step.at))
			want(t, fmt.Sprintf("request %d", i+1), b.Allow(t.Context(), "a"), step.want)
		}
	})
}

// TestBothWindowsFull expects that the minute refuses, since nothing passes before it ends.
func TestBothWindowsFull(t *testing.T) {
	t.Parallel()
	everywhere(t, 2, 2, func(b bench) {
		t := b.t
		b.Allow(t.Context(), "a")
		b.Allow(t.Context(), "a")
		want(t, "refusal", b.Allow(t.Context(), "a"),
			ratelimit.Decision{Limit: 2, Reset: noon().Add(time.Minute), RetryAfter: time.Minute})
	})
}

func TestSubjectsCountApart(t *testing.T) {
	t.Parallel()
	everywhere(t, 0, 1, func(b bench) {
		t := b.t
		for _, subject := range []string{"a", "b", "a b", "{a}", "ä\n", ""} {
			if !b.Allow(t.Context(), subject).Allowed {
				t.Errorf("the first request of %q was refused", subject)
			}
			if b.Allow(t.Context(), subject).Allowed {
				t.Errorf("the second request of %q was allowed", subject)
			}
		}
	})
}

func TestLimitsSwitchedOff(t *testing.T) {
	t.Parallel()
	t.Run("the second", func(t *testing.T) {
		t.Parallel()
		everywhere(t, 0, 2, func(b bench) {
			t := b.t
			minute := noon().Add(time.Minute)
			want(t, "first", b.Allow(t.Context(), "a"), ratelimit.Decision{Allowed: true, Limit: 2, Remaining: 1, Reset: minute})
			want(t, "second", b.Allow(t.Context(), "a"),
				ratelimit.Decision{Allowed: true, Limit: 2, Remaining: 0, Reset: minute})
			want(t, "third", b.Allow(t.Context(), "a"), ratelimit.Decision{Limit: 2, Reset: minute, RetryAfter: time.Minute})
		})
	})
	t.Run("the minute", func(t *testing.T) {
		t.Parallel()
		everywhere(t, 1, 0, func(b bench) {
			t := b.t
			second := noon().Add(time.Second)
			want(t, "first", b.Allow(t.Context(), "a"), ratelimit.Decision{Allowed: true, Limit: 1, Remaining: 0, Reset: second})
			want(t, "second", b.Allow(t.Context(), "a"), ratelimit.Decision{Limit: 1, Reset: second, RetryAfter: time.Second})
			for _, second := range []time.Duration{1, 2, 3, 59, 60, 61, 200} {
				b.set(noon().Add(second * time.Second))
				if !b.Allow(t.Context(), "a").Allowed {
					t.Fatalf("refused in second %d, as if there were a minute", second)
				}
			}
		})
	})
	t.Run("both", func(t *testing.T) {
		t.Parallel()
		everywhere(t, 0, 0, func(b bench) {
			t := b.t
			for range 100 {
				want(t, "any", b.Allow(t.Context(), "a"), ratelimit.Decision{Allowed: true, Reset: time.Unix(0, 0).UTC()})
			}
		})
	})
}

// TestRefusalsCostNothing sends many requests in a full second, and expects that they do not count for the minute.
func TestRefusalsCostNothing(t *testing.T) {
	t.Parallel()
	everywhere(t, 10, 25, func(b bench) {
		t := b.t
		var got []int
		for second := range 4 {
			b.set(noon().Add(time.Duration(second) * time.Second))
			allowed := 0
			for range 100 {
				if b.Allow(t.Context(), "a").Allowed {
					allowed++
				}
			}
			got = append(got, allowed)
		}
		if fmt.Sprint(got) != "[10 10 5 0]" {
			t.Errorf("allowed in each second: %v", got)
		}
	})
}

// TestExactOverProcesses lets two limiters with clients of their own count together on a real server, over the border
// of a window if one comes: in every window that refused, exactly the limit passed. With both limits, the test only
// bounds the sum over all seconds.
func TestExactOverProcesses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ perSecond, perMinute, limit, requests int }{
		"minute": {0, 300, 300, 1500},
		"second": {40, 0, 40, 3000},
		"both":   {100, 1000, 100, 1500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rawURL := testkit.RedisURL(t)
			one := newLimiter(t, connect(t, rawURL), nil, c.perSecond, c.perMinute)
			two := newLimiter(t, connect(t, rawURL), nil, c.perSecond, c.perMinute)
			decisions := hammer(t.Context(), c.requests, one, two)
			allowed, refused := map[time.Time]int{}, map[time.Time]bool{}
			for d := range decisions {
				if d.Allowed {
					allowed[d.Reset]++
				} else {
					refused[d.Reset] = true
				}
			}
			if name == "both" { // what passed shows the minute, what did not by the second
				total := 0
				for _, n := range allowed {
					total += n
				}
				if total < c.limit*len(refused) || total > c.limit*(len(refused)+1) {
					t.Errorf("allowed %d in %d full seconds", total, len(refused))
				}
				return
			}
			if len(refused) == 0 {
				t.Fatal("nothing was refused")
			}
			for window := range refused {
				if allowed[window] != c.limit {
					t.Errorf("the window until %v allowed %d, want %d", window, allowed[window], c.limit)
				}
			}
		})
	}
}

// hammer sends requests from eight goroutines at the same time, each to one of the limiters, and returns the decisions
// once all are made.
func hammer(ctx context.Context, requests int, limiters ...*ratelimit.Limiter) <-chan ratelimit.Decision {
	decisions := make(chan ratelimit.Decision, requests)
	var running sync.WaitGroup
	for worker := range 8 {
		running.Go(func() {
			for range requests / 8 {
				decisions <- limiters[worker%len(limiters)].Allow(ctx, "a")
			}
		})
	}
	running.Wait()
	close(decisions)
	return decisions
}

// TestClocksOfProcessesDoNotMatter runs two processes with clocks an hour apart: only the clock of Redis counts.
func TestClocksOfProcessesDoNotMatter(t *testing.T) {
	t.Parallel()
	s := miniredis.RunT(t)
	s.SetTime(noon())
	client := connect(t, "redis://"+s.Addr())
	early := newLimiter(t, client, &clock{now: noon().Add(-time.Hour)}, 0, 1)
	late := newLimiter(t, client, &clock{now: noon().Add(time.Hour)}, 0, 1)
	if !early.Allow(t.Context(), "a").Allowed || late.Allow(t.Context(), "a").Allowed {
		t.Error("the limiters did not count in the same window")
	}
}

// TestKeysExpire expects one key for each subject, which expires after its windows.
func TestKeysExpire(t *testing.T) {
	t.Parallel()
	client := testkit.Redis(t)
	limiter := newLimiter(t, client, nil, 100, 1000)
	for range 3 {
		limiter.Allow(t.Context(), "key:1")
	}
	keys, err := client.Keys(t.Context(), "*").Result()
	if err != nil || len(keys) != 1 || keys[0] != "ratelimit:key:1" {
		t.Fatalf("keys %q, %v", keys, err)
	}
	if life := client.TTL(t.Context(), keys[0]).Val(); life <= time.Minute || life > 2*time.Minute {
		t.Errorf("it lives for %v", life)
	}
}

// TestCluster expects that one request uses one slot of a cluster only. If the minute ended during the requests of a
// subject, or the server was too busy to answer, it tries with another subject.
func TestCluster(t *testing.T) {
	t.Parallel()
	s := testkit.StartRedisCluster(t)
	client := connect(t, s.URL)
	limiter := newLimiter(t, client, nil, 0, 5)
	fiveOfSix := []bool{true, true, true, true, true, false}
	for i := range 20 {
		var allowed []bool
		for try := range 4 {
			if allowed = allowedOf(t, limiter, fmt.Sprintf("key:%d:%d", i, try), 6); slices.Equal(allowed, fiveOfSix) {
				break
			}
		}
		if !slices.Equal(allowed, fiveOfSix) {
			t.Errorf("subject %d: allowed %v, want %v", i, allowed, fiveOfSix)
		}
	}
}

// allowedOf returns which of count requests the limiter allows.
func allowedOf(t *testing.T, limiter *ratelimit.Limiter, subject string, count int) []bool {
	t.Helper()
	allowed := make([]bool, count)
	for n := range allowed {
		allowed[n] = limiter.Allow(t.Context(), subject).Allowed
	}
	return allowed
}

// TestOneTrip expects one command for each request once the server knows the script.
func TestOneTrip(t *testing.T) {
	t.Parallel()
	client := testkit.Redis(t)
	limiter := newLimiter(t, client, nil, 100, 1000)
	limiter.Allow(t.Context(), "a")
	asked := count(client)
	for range 50 {
		limiter.Allow(t.Context(), "a")
	}
	if got := asked.Load(); got != 50 {
		t.Errorf("50 requests took %d commands", got)
	}
}

// count returns a counter of the commands that the client sends from now on. It does not count pipelines.
func count(client redis.UniversalClient) *atomic.Int64 {
	c := new(counter)
	client.AddHook(c)
	return &c.commands
}

type counter struct{ commands atomic.Int64 }

func (c *counter) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *counter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.commands.Add(1)
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook counts nothing: only a new connection sends pipelines, to introduce itself.
func (c *counter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
