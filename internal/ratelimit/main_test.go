package ratelimit_test

import (
	"log/slog"
	"os"
	"testing"

	"dealflow/internal/redisconn"
)

// TestMain silences the client library, which repeats itself while a test's server is down.
func TestMain(m *testing.M) {
	redisconn.LogTo(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}
