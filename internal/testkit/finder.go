package testkit

import (
	"log/slog"
	"os"
	"testing"

	"dealflow/internal/embedded"
)

// Finder returns a Finder of the servers' binaries, for tests that start servers of their own. It finds those in
// PG_BIN, those installed on the machine, and those that `make test` has fetched.
func Finder(tb testing.TB) embedded.Finder {
	tb.Helper()
	return embedded.Finder{
		PostgresBin: os.Getenv("PG_BIN"),
		Unpacked:    os.Getenv("TEST_SERVERS"),
		Logger:      slog.New(slog.NewTextHandler(tb.Output(), nil)),
	}
}
