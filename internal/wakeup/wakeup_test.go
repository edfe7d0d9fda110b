package wakeup_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"dealflow/internal/redisconn"
	"dealflow/internal/testkit"
	"dealflow/internal/wakeup"
)

// never is a Poll that does not pass during a test.
const never = time.Hour

// TestMain silences the client library, which repeats itself while a test's server is down.
func TestMain(m *testing.M) {
	redisconn.LogTo(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
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

// nowhere returns a client of a Redis that is down.
func nowhere(t *testing.T) redis.UniversalClient {
	t.Helper()
	return connect(t, "redis://127.0.0.1:1")
}

// truth is in place of the rows of work: it knows which work has ended, and notes each call of Ended.
type truth struct {
	mu      sync.Mutex
	settled map[string]bool
	asked   [][]string
	err     error
}

func (r *truth) settle(ids ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.settled == nil {
		r.settled = map[string]bool{}
	}
	for _, id := range ids {
		r.settled[id] = true
	}
}

func (r *truth) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

func (r *truth) look(_ context.Context, ids []string) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids = slices.Sorted(slices.Values(ids))
	r.asked = append(r.asked, ids)
	if r.err != nil {
		return nil, r.err
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !r.settled[id] }), nil
}

func (r *truth) looks() [][]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}

// log keeps what a hub logs.
type log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), part)
}

// run starts a hub, which ends with the test.
func run(t *testing.T, client redis.UniversalClient, options wakeup.Options) *wakeup.Hub {
	t.Helper()
	options.ID = uuid.NewString()
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	hub := wakeup.NewHub(client, options)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		hub.Run(ctx)
		close(ended)
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			t.Error("the hub does not end with its context")
		}
	})
	return hub
}

// listening waits until the server knows of the hub.
func listening(t *testing.T, client redis.UniversalClient, hub *wakeup.Hub) {
	t.Helper()
	eventually(t, "the hub does not listen", func() bool {
		return client.PubSubNumSub(t.Context(), hub.Channel()).Val()[hub.Channel()] == 1
	})
}

func eventually(t *testing.T, otherwise string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(otherwise)
		}
	}
}

func publish(t *testing.T, client redis.UniversalClient, channel, id string) {
	t.Helper()
	if err := wakeup.NewPublisher(client).Publish(t.Context(), channel, id); err != nil {
		t.Fatal(err)
	}
}

func wantWoken(t *testing.T, w *wakeup.Waiter, within time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	if err := w.Wait(ctx); err != nil {
		t.Errorf("not woken within %v: %v", within, err)
	}
}

func wantAsleep(t *testing.T, w *wakeup.Waiter) {
	t.Helper()
	select {
	case <-w.Done():
		t.Error("somebody was woken whose work goes on")
	case <-time.After(50 * time.Millisecond):
	}
}

// TestNudge measures the time from before publishing to after waking, without a call of Ended.
func TestNudge(t *testing.T) {
	t.Parallel()
	client := testkit.Redis(t)
	hub := run(t, client, wakeup.Options{Poll: never, Ended: new(truth).look})
	listening(t, client, hub)
	var took []time.Duration
	for i := range 200 {
		took = append(took, nudge(t, client, hub, fmt.Sprintf("job-%d", i)))
	}
	slices.Sort(took)
	t.Logf("median %v, slowest %v", took[len(took)/2], took[len(took)-1])
	if median := took[len(took)/2]; median > 5*time.Millisecond {
		t.Errorf("the median nudge took %v", median)
	}
}

func nudge(t *testing.T, client redis.UniversalClient, hub *wakeup.Hub, id string) time.Duration {
	t.Helper()
	w := hub.Register(id)
	defer w.Close()
	start := time.Now()
	publish(t, client, hub.Channel(), id)
	wantWoken(t, w, 5*time.Second)
	return time.Since(start)
}

func TestNudgeWakesWhoWaitsForIt(t *testing.T) {
	t.Parallel()
	client := testkit.Redis(t)
	here := run(t, client, wakeup.Options{Poll: never, Ended: new(truth).look})
	there := run(t, client, wakeup.Options{Poll: never, Ended: new(truth).look})
	listening(t, client, here)
	listening(t, client, there)
	first, second, other, elsewhere := here.Register("a"), here.Register("a"), here.Register("b"), there.Register("a")
	publish(t, client, here.Channel(), "nobody's")
	publish(t, client, here.Channel(), "a")
	wantWoken(t, first, time.Second)
	wantWoken(t, second, time.Second)
	wantAsleep(t, other)
	wantAsleep(t, elsewhere)
	later := here.Register("a") // a message wakes only those who wait already
	first.Close()
	second.Close()
	wantAsleep(t, later)
	publish(t, client, here.Channel(), "a")
	wantWoken(t, later, time.Second)
}

// TestLostNudge loses the message, as when the worker has lost its Redis: a call of Ended wakes the waiter.
func TestLostNudge(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]redis.UniversalClient{
		"Redis is up": testkit.Redis(t), "Redis is down": nowhere(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := new(truth)
			hub := run(t, client, wakeup.Options{Poll: 20 * time.Millisecond, Ended: rows.look})
			done, open := hub.Register("done"), hub.Register("open")
			rows.settle("done")
			wantWoken(t, done, time.Second)
			wantAsleep(t, open)
			rows.settle("open")
			wantWoken(t, open, time.Second)
		})
	}
}

// TestRedisRestart stops the server under a hub whose Poll never passes: the hub calls Ended when it listens again,
// and messages arrive again.
func TestRedisRestart(t *testing.T) {
	t.Parallel()
	server := testkit.StartRedis(t)
	client := connect(t, server.URL)
	rows, told := new(truth), new(log)
	hub := run(t, client, wakeup.Options{
		Poll: never, Ended: rows.look, Logger: slog.New(slog.NewTextHandler(told, nil)),
	})
	listening(t, client, hub)
	missed, later := hub.Register("missed"), hub.Register("later")
	server.Stop()
	rows.settle("missed")
	wantAsleep(t, missed)
	server.Start()
	wantWoken(t, missed, 10*time.Second)
	wantAsleep(t, later)
	listening(t, client, hub)
	publish(t, client, hub.Channel(), "later")
	wantWoken(t, later, time.Second)
	if n := told.count("messages from workers arrive again"); n != 1 {
		t.Errorf("the log tells of it %d times", n)
	}
}

// TestCluster publishes through a cluster, which passes messages on to all of its nodes.
func TestCluster(t *testing.T) {
	t.Parallel()
	client := connect(t, testkit.StartRedisCluster(t).URL)
	hub := run(t, client, wakeup.Options{Poll: never, Ended: new(truth).look})
	listening(t, client, hub)
	w := hub.Register("a")
	publish(t, client, hub.Channel(), "a")
	wantWoken(t, w, time.Second)
}

func TestManyWaiters(t *testing.T) {
	t.Parallel()
	rows := new(truth)
	hub := run(t, nowhere(t), wakeup.Options{Poll: 50 * time.Millisecond, Ended: rows.look})
	var waiters []*wakeup.Waiter
	var ids []string
	for i := range 5000 {
		ids = append(ids, fmt.Sprintf("job-%04d", i))
		waiters = append(waiters, hub.Register(ids[i]), hub.Register(ids[i]))
	}
	eventually(t, "nobody looked", func() bool {
		return len(rows.looks()) > 0 && len(rows.looks()[len(rows.looks())-1]) == len(ids)
	})
	rows.settle(ids...)
	for _, w := range waiters {
		wantWoken(t, w, 5*time.Second)
		w.Close()
	}
	looks := len(rows.looks())
	if got := rows.looks()[looks-1]; !slices.Equal(got, ids) {
		t.Errorf("the last look asked for %d ids, want each of the %d once", len(got), len(ids))
	}
	time.Sleep(150 * time.Millisecond)
	if more := len(rows.looks()) - looks; more != 0 {
		t.Errorf("%d looks with nobody waiting", more)
	}
}

func TestNobodyWaitsNobodyLooks(t *testing.T) {
	t.Parallel()
	rows := new(truth)
	hub := run(t, testkit.Redis(t), wakeup.Options{Poll: time.Millisecond, Ended: rows.look})
	time.Sleep(50 * time.Millisecond)
	w := hub.Register("closed")
	w.Close()
	w.Close()
	before := len(rows.looks()) // one may have seen it
	time.Sleep(50 * time.Millisecond)
	if got := len(rows.looks()); got > before+1 || before > 1 {
		t.Errorf("%d looks before and %d after", before, got)
	}
}

// TestTruthIsLookedAtForWhoIsLate registers one waiter after the other: the first call of Ended is for the first
// alone, the next for both.
func TestTruthIsLookedAtForWhoIsLate(t *testing.T) {
	t.Parallel()
	rows := new(truth)
	const poll = 600 * time.Millisecond
	hub := run(t, nowhere(t), wakeup.Options{Poll: poll, Ended: rows.look})
	began := time.Now()
	prompt := hub.Register("prompt")
	first := hub.Register("first")
	time.Sleep(poll * 2 / 3)
	prompt.Close() // its work ended in time, which no look has to find
	second := hub.Register("second")
	eventually(t, "nobody looks twice", func() bool { return len(rows.looks()) >= 2 })
	if took := time.Since(began); took < 2*poll {
		t.Errorf("there were two looks after %s, and nobody was late before %s", took, poll)
	}
	if got, want := fmt.Sprint(rows.looks()[:2]), "[[first] [first second]]"; got != want {
		t.Errorf("the looks were for %s, want %s", got, want)
	}
	rows.settle("first", "second")
	wantWoken(t, first, time.Second)
	wantWoken(t, second, time.Second)
}

// TestSlowTruth has a call of Ended that hangs, and expects that a message wakes a waiter all the same.
func TestSlowTruth(t *testing.T) {
	t.Parallel()
	client := testkit.Redis(t)
	hanging := make(chan struct{})
	var once sync.Once
	hub := run(t,
		client, wakeup.Options{Poll: time.Millisecond, Ended: func(ctx context.Context, _ []string) ([]string, error) {
			once.Do(func() { close(hanging) })
			<-ctx.Done()
			return nil, ctx.Err()
		}})
	listening(t, client, hub)
	w := hub.Register("a")
	<-hanging
	publish(t, client, hub.Channel(), "a")
	wantWoken(t, w, time.Second)
}

func TestFailingTruthIsToldOnce(t *testing.T) {
	t.Parallel()
	rows, told := &truth{err: errors.New("database is away")}, new(log)
	hub := run(t, nowhere(t), wakeup.Options{
		Poll: time.Millisecond, Ended: rows.look, Logger: slog.New(slog.NewTextHandler(told, nil)),
	})
	w := hub.Register("a")
	for outage := range 2 {
		looks := len(rows.looks())
		eventually(t, "it stopped looking", func() bool { return len(rows.looks()) > looks+5 })
		if n := told.count("database is away"); n != outage+1 {
			t.Errorf("outage %d: the log tells of it %d times", outage, n)
		}
		rows.fail(nil)
		looks = len(rows.looks())
		eventually(t, "it stopped looking", func() bool { return len(rows.looks()) > looks+2 })
		rows.fail(errors.New("database is away"))
	}
	wantAsleep(t, w)
	rows.settle("a")
	rows.fail(nil)
	wantWoken(t, w, time.Second)
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	hub := wakeup.NewHub(nowhere(t), wakeup.Options{ID: "never run", Ended: new(truth).look})
	w := hub.Register("a")
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := w.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestWorkBeforeContext checks that Wait returns nil, not the error of the context, if both the work and the context
// have ended.
func TestWorkBeforeContext(t *testing.T) {
	t.Parallel()
	rows := new(truth)
	rows.settle("a")
	hub := run(t, nowhere(t), wakeup.Options{Poll: time.Millisecond, Ended: rows.look})
	w := hub.Register("a")
	<-w.Done()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if err := w.Wait(over); err != nil {
			t.Fatalf("got %v", err)
		}
	}
}

func TestPublishWithoutRedis(t *testing.T) {
	t.Parallel()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for name, client := range map[string]redis.UniversalClient{
		"down": nowhere(t), "silent": connect(t, "redis://"+silent.Addr().String()),
	} {
		start := time.Now()
		if err := wakeup.NewPublisher(client).Publish(t.Context(), "notify:x", "a"); err == nil ||
			!strings.Contains(err.Error(), "waits for a") {
			t.Errorf("%s: got %v", name, err)
		}
		if waited := time.Since(start); waited > 2*time.Second {
			t.Errorf("%s: a worker waited %v", name, waited)
		}
		if err := wakeup.NewPublisher(client).Publish(t.Context(), "", "a"); err != nil {
			t.Errorf("%s: nobody waits: %v", name, err)
		}
	}
}
