package webhook

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
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
		"::7f00:1": false, "::ffff:0:7f00:1": false, "3fff::1": false, "5f00::1": false,
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

func TestErrorsOfDeliveriesKeepAddressesOfThisNetwork(t *testing.T) {
	t.Parallel()
	s := &Service{client: newClient(false)}
	if _, err := s.post(t.Context(), job{URL: "http://localhost:1/"}, http.Header{}); !errors.Is(err, errPrivate) ||
		strings.ContainsAny(err.Error(), "1:") {
		t.Errorf("a private address: %v", err)
	}
	own, other := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 5}, &net.TCPAddr{IP: net.IPv4(8, 8, 8, 8), Port: 80}
	for want, err := range map[string]error{
		"lookup db.example: no such host": &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{
			Err: "no such host", Name: "db.example", Server: "10.0.0.2:53", IsNotFound: true,
		}},
		"lookup db.example: timed out": &net.DNSError{
			Err: "read udp 10.0.0.3:39845->10.0.0.2:53: i/o timeout", Name: "db.example", IsTimeout: true,
		},
		"read tcp 8.8.8.8:80: reset": &net.OpError{
			Op: "read", Net: "tcp", Source: own, Addr: other, Err: errors.New("reset"),
		},
		"late: no": fmt.Errorf("late: %w", errors.New("no")),
	} {
		if got := outward(err).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
