package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/migrations"
)

// silent returns the address of a server that accepts connections and never answers, as one stopped by SIGSTOP does.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

func TestAStartWaitsForAServerThatHangs(t *testing.T) {
	t.Parallel()
	var told bytes.Buffer
	opts := postgres.Options{ConnectTimeout: 50 * time.Millisecond}
	ctx, cancel := context.WithCancel(t.Context())
	log := slog.New(slog.NewTextHandler(writer(func(p []byte) (int, error) { cancel(); return told.Write(p) }), nil))
	_, err := postgres.OpenChecked(ctx, "postgres://u:p@"+silent(t)+"/d?sslmode=disable", opts, migrations.Files, log)
	if !errors.Is(err, context.Canceled) || !strings.Contains(told.String(), "waits for it before it starts") {
		t.Errorf("%v, logged %q", err, told.String())
	}
}

func TestConnectingHasALimitByDefault(t *testing.T) {
	t.Parallel()
	if _, err := postgres.Open(t.Context(), "postgres://u:p@"+silent(t)+"/d?sslmode=disable",
		postgres.Options{}); !postgres.IsUnreachable(err) {
		t.Errorf("%v", err)
	}
}

func TestAStartDoesNotWaitWhereTheLoginIsWrong(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(testkit.DatabaseURL(t))
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword(address.User.Username(), "wrong")
	_, err = postgres.OpenChecked(t.Context(), address.String(), postgres.Options{}, migrations.Files,
		slog.New(slog.DiscardHandler))
	if err == nil || postgres.IsUnreachable(err) {
		t.Errorf("%v", err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
