package embedded

import (
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
)

func TestPackageToolsGetNoSecret(t *testing.T) {
	t.Parallel()
	given := []string{
		"PATH=/bin", "SECRET_KEYS=k", "https_proxy=http://p", "DATABASE_URL=postgres://", "APT_CONFIG=/etc/a",
		"OPENAI_API_KEY=s",
	}
	want := []string{
		"PATH=/bin", "https_proxy=http://p", "APT_CONFIG=/etc/a", "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive",
	}
	if got := toolVariables(given); !slices.Equal(got, want) {
		t.Errorf("given %q", got)
	}
}

// TestAFailedToolIsNamedWithItsArguments also runs a tool without arguments.
func TestAFailedToolIsNamedWithItsArguments(t *testing.T) {
	t.Parallel()
	finder := Finder{Logger: slog.New(slog.DiscardHandler)}
	for want, args := range map[string][]string{
		"false: exit status 1": nil, "false --now redis: exit status 1": {"--now", "redis"},
	} {
		err := finder.tool(t.Context(), t.TempDir(), io.Discard, "false", args...)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}
