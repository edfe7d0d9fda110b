package ratelimit_test

import (
	"testing"

	"dealflow/internal/ratelimit"
)

func TestSource(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7":            "192.0.2.7",
		"::ffff:192.0.2.7":     "192.0.2.7",
		"2001:db8:1:2::1":      "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::9": "2001:db8:1:2::/64",
		"2001:db8:1:3::1":      "2001:db8:1:3::/64",
		"fe80::1%eth0":         "fe80::/64",
		"":                     "",
		"no address":           "no address",
	} {
		if got := ratelimit.Source(address); got != want {
			t.Errorf("Source(%q) = %q, want %q", address, got, want)
		}
	}
}
