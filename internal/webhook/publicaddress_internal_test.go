package webhook

import (
	"net/netip"
	"testing"
)

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"93.184.216.34": true, "2606:2800:220:1::1": true, "::ffff:93.184.216.34": true,
		"127.0.0.1": false, "::1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false,
		"169.254.169.254": false,
		"fe80::1":         false, "fe80::1%eth0": false, "fd00::1": false,
		"0.0.0.0": false, "::": false, "::ffff:10.0.0.1": false,
		"100.64.0.1": false,
		"224.0.0.1":  false, "ff02::1": false, "255.255.255.255": false, "64:ff9b::a00:1": false, "2002:a00:1::": false,
		"::7f00:1": false,
	} {
		if got := isPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: public %v", address, got)
		}
	}
}

func TestPublicHosts(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"hooks.example": true, "HOOKS.example.": true, "93.184.216.34": true, "2606:2800:220:1::1": true,
		"3com.example": true, "a.b2": true,
		"": false, ".": false, "localhost": false, "LocalHost.": false, "db": false, "a.localhost": false,
		"printer.local": false, "metadata.google.internal": false,
		"127.0.0.1": false, "::ffff:127.0.0.1": false, "fe80::1%eth0": false,
		"2130706433": false, "0x7f000001": false, "0177.0.0.1": false, "127.1": false, "0x7f.1.": false,
	} {
		if got := isPublicHost(host); got != want {
			t.Errorf("%q: public %v", host, got)
		}
	}
}
