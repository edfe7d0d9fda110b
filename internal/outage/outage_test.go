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
