package outage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dealflow/internal/outage"
)

type book struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *book) lines() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Split(strings.TrimSpace(b.text.String()), "\n")
}

var errAway = errors.New("connection refused")

func newServer(t *testing.T) (*outage.Server, *slog.Logger, *book, *atomic.Bool) {
	t.Helper()
	told, answers := &book{}, &atomic.Bool{}
	log := slog.New(slog.NewTextHandler(told, nil))
	s := outage.New(outage.Options{
		Name: "Redis", Log: log, Is: func(err error) bool { return errors.Is(err, errAway) },
		Ping: func(context.Context) error {
			if answers.Load() {
				return nil
			}
			return errAway
		},
	})
	t.Cleanup(s.Close)
	return s, outage.Logger(log, s), told, answers
}

func await(t *testing.T, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !met(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: never", what)
		}
	}
}

func TestAnOutageIsOneLineForEachChange(t *testing.T) {
	t.Parallel()
	s, log, told, answers := newServer(t)
	for n := range 500 {
		log.WarnContext(t.Context(), "the sweep failed", "n", n, "error", fmt.Errorf("sweep: %w", errAway))
	}
	await(t, "away", s.Away)
	log.ErrorContext(t.Context(), "something else", "error", errors.New("no such file"))
	log.ErrorContext(t.Context(), "work failed", "error", errAway)
	answers.Store(true)
	await(t, "back", func() bool { return !s.Away() })
	await(t, "the last line", func() bool { return len(told.lines()) == 3 })
	lines := told.lines()
	if !strings.Contains(lines[0], "does not answer") || !strings.Contains(lines[1], "no such file") ||
		!strings.Contains(lines[2], "answers again") {
		t.Errorf("logged %q", lines)
	}
}

func TestComplaintsAboutAServerThatAnswersAreKept(t *testing.T) {
	t.Parallel()
	s, log, told, answers := newServer(t)
	answers.Store(true)
	log.WarnContext(t.Context(), "the sweep failed", "error", errAway)
	await(t, "the line", func() bool { return strings.Contains(told.lines()[0], "the sweep failed") })
	if s.Away() || len(told.lines()) != 1 {
		t.Errorf("logged %q", told.lines())
	}
}

func TestComplaintsThatAreDroppedAreCounted(t *testing.T) {
	t.Parallel()
	for _, isAway := range []bool{true, false} {
		told, pinged := &book{}, make(chan struct{})
		log := slog.New(slog.NewTextHandler(told, nil))
		pings := 0
		s := outage.New(outage.Options{
			Name: "Redis", Log: log, Is: func(err error) bool { return errors.Is(err, errAway) },
			Ping: func(context.Context) error {
				<-pinged
				if pings++; pings == 1 && isAway {
					return errAway
				}
				return nil
			},
		})
		t.Cleanup(s.Close)
		for range 25 {
			outage.Logger(log, s).WarnContext(t.Context(), "the sweep failed", "error", errAway)
		}
		close(pinged)
		want := "not logged\" server=Redis dropped=5"
		if isAway {
			want = "complaints=25"
		}
		await(t, want, func() bool {
			lines := told.lines()
			return strings.Contains(lines[len(lines)-1], want)
		})
		if lines := told.lines(); len(lines) != 21 && !isAway {
			t.Errorf("logged %q", lines)
		}
	}
}

func TestAClosedServerIsNotPinged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, log, told, _ := newServer(t)
		s.Close()
		s.Failed(errAway)
		synctest.Wait()
		if s.Away() {
			t.Error("a ping after Close found that the server is away")
		}
		log.WarnContext(t.Context(), "the pool could not be closed", "error", errAway)
		if !strings.Contains(told.lines()[0], "could not be closed") {
			t.Errorf("logged %q", told.lines())
		}
	})
}
