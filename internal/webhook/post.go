package webhook

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"
)

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

// post sends a message and returns the status of the answer, 0 without an answer. It returns an error for a status
// other than 2xx.
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
		text := http.StatusText(answer.StatusCode) // "" for a status that is not registered
		return answer.StatusCode, fmt.Errorf("the receiver answered %s",
			strings.TrimSpace(strconv.Itoa(answer.StatusCode)+" "+text))
	}
	return answer.StatusCode, nil
}
