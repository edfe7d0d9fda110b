package embedded

import (
	"slices"
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
