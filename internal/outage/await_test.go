package outage_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"dealflow/internal/outage"
)

func awaiting(told *book) outage.Options {
	return outage.Options{
		Name: "Postgres", Log: slog.New(slog.NewTextHandler(told, nil)), Is: func(err error) bool {
			return errors.Is(err, errAway)
		},
	}
}

func TestAStartWaitsForAServer(t *testing.T) {
	t.Parallel()
	told, tries := &book{}, 0
	err := outage.Await(t.Context(), awaiting(told), func(context.Context) error {
		if tries++; tries < 3 {
			return fmt.Errorf("open: %w", errAway)
		}
		return nil
	})
	lines := told.lines()
	if err != nil || tries != 3 || len(lines) != 2 || !strings.Contains(lines[0], "waits for it before it starts") ||
		!strings.Contains(lines[1], "answers now") {
		t.Errorf("%v after %d tries, logged %q", err, tries, lines)
	}
}

func TestAStartFailsForWhatWaitingDoesNotHeal(t *testing.T) {
	t.Parallel()
	wrong, tries := errors.New("password authentication failed"), 0
	err := outage.Await(t.Context(), awaiting(&book{}), func(context.Context) error { tries++; return wrong })
	if !errors.Is(err, wrong) || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
}

func TestAStartThatIsStoppedWaitsNoLonger(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	err := outage.Await(ctx, awaiting(&book{}), func(context.Context) error { cancel(); return errAway })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
