package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Limits of one attempt.
const (
	sendTimeout = 15 * time.Second
	maxResponse = 4 << 10 // bytes that are read, so that the connection can be used again
	maxHeaders  = 32 << 10
)

// errPrivate is the error for an address that is not on the public internet.
var errPrivate = errors.New("the address is private, local or reserved; WEBHOOK_ALLOW_PRIVATE permits it")

// newClient returns a client that follows no redirect, uses no proxy, and connects only to public addresses unless
// others are allowed. An address is checked when it is connected to, whatever its name resolved to before.
func newClient(allowPrivate bool) *http.Client {
	dialer := &net.Dialer{Timeout: sendTimeout}
	if !allowPrivate {
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			if to, err := netip.ParseAddrPort(address); err != nil || !isPublic(to.Addr()) {
				return errPrivate
			}
			return nil
		}
	}
	return &http.Client{
		Timeout: sendTimeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, MaxIdleConns: 100, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: sendTimeout, MaxResponseHeaderBytes: maxHeaders,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// reserved returns the address ranges that are not public though netip does not say so, or through which private
// addresses can be reached.
func reserved() []netip.Prefix {
	var ranges []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24",
		"240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
		"2002::/16", "fec0::/10", "::/96",
	} {
		ranges = append(ranges, netip.MustParsePrefix(text))
	}
	return ranges
}

// isPublic reports whether an address is on the public internet.
func isPublic(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	if !address.IsGlobalUnicast() || address.IsPrivate() {
		return false
	}
	for _, some := range reserved() {
		if some.Contains(address) {
			return false
		}
	}
	return true
}

// isPublicHost reports whether a host may be on the public internet: a public address, or a name that is not of a
// private network. The addresses of a name are checked when they are connected to.
func isPublicHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if address, err := netip.ParseAddr(host); err == nil {
		return isPublic(address)
	}
	top := host[strings.LastIndex(host, ".")+1:]
	if _, err := strconv.ParseUint(top, 0, 64); err == nil { // an address as some resolvers take it, such as 0x7f.1
		return false
	}
	return top != host && !slices.Contains([]string{"localhost", "local", "internal"}, top)
}

// post sends a message and returns the status of the answer, 0 without an answer. A status other than 2xx is an error.
func post(ctx context.Context, client *http.Client, url, body string, header http.Header) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("make the request: %w", err)
	}
	request.Header = header
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, maxResponse) // the content does not matter
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return answer.StatusCode, fmt.Errorf("the receiver answered %s", http.StatusText(answer.StatusCode))
	}
	return answer.StatusCode, nil
}
