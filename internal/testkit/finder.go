package testkit

import (
	"log/slog"
	"os"
	"testing"

	"dealflow/internal/embedded"
)

// Finder finds the servers' binaries for tests that start a cluster of their own: PG_BIN, the machine's, or those that
// `make test` fetched.
func Finder(tb testing.TB) embedded.Finder {
	tb.Helper()
	return embedded.Finder{
		PostgresBin: os.Getenv("PG_BIN"),
		Unpacked:    os.Getenv("TEST_SERVERS"),
		Logger:      slog.New(slog.NewTextHandler(tb.Output(), nil)),
	}
}
