package httpapi_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dealflow/internal/ratelimit"
	"dealflow/internal/testkit"
)

// limited adds a limiter with these limits to the server.
func limited(t *testing.T, perSecond, perMinute int) func(*setup) {
	t.Helper()
	connection := testkit.Redis(t)
	return func(c *setup) {
		c.Limiter = ratelimit.New(connection,
			ratelimit.Options{PerSecond: perSecond, PerMinute: perMinute, Prefix: "ratelimit:", Logger: c.Logger})
	}
}

// awayFromTheMinutesEnd waits if the minute could end during a test that counts requests in a minute.
func awayFromTheMinutesEnd() {
	if left := time.Until(time.Now().Truncate(time.Minute).Add(time.Minute)); left < 5*time.Second {
		time.Sleep(left)
	}
}

func TestRateLimitHeadersAreOnEveryAnswerButTheProbes(t *testing.T) {
	t.Parallel()
	s := start(t, limited(t, 0, 500))
	for path, key := range map[string]string{
		"/api/v1/companies": s.key, "/api/v1/nowhere": s.key, "/api/v1/accounts": "", "/api/v1/openapi.json": "",
		"/docs": "", "/files/x": "", "/nowhere": "",
		"/admin/queues": "",
	} {
		got := s.get(path, key)
		limit, left, reset := got.limits()
		if limit != 500 || left < 480 || left > 499 {
			t.Errorf("%s: limit %d, %d left", path, limit, left)
		}
		if wait := reset - time.Now().Unix(); wait < 0 || wait > 60 {
			t.Errorf("%s: the window ends in %d s", path, wait)
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		for name := range s.get(path, "").Header {
			if strings.HasPrefix(name, "X-Ratelimit") {
				t.Errorf("%s has %s", path, name)
			}
		}
	}
}

func (r reply) limits() (limit, left int, reset int64) {
	r.t.Helper()
	number := func(name string) int64 {
		value, err := strconv.ParseInt(r.Header.Get(name), 10, 64)
		if err != nil {
			r.t.Errorf("%s: %q", name, r.Header.Get(name))
		}
		return value
	}
	return int(number("X-Ratelimit-Limit")), int(number("X-Ratelimit-Remaining")), number("X-Ratelimit-Reset")
}

func TestLimitsHoldPerKeyAndPerAddress(t *testing.T) {
	t.Parallel()
	s := start(t, limited(t, 0, 5))
	_, other := s.colleague("Mia Member", "member")
	awayFromTheMinutesEnd()
	for i := range 5 {
		if _, left, _ := s.get("/api/v1/accounts", s.key).want(http.StatusOK).limits(); left != 4-i {
			t.Errorf("after %d requests %d are left", i+1, left)
		}
	}
	for range 2 { // a refused one does not count, and changes nothing
		got := s.get("/api/v1/accounts", s.key)
		got.refused(http.StatusTooManyRequests, "Rate limit exceeded", "rate_limited", "")
		limit, left, reset := got.limits()
		wait, err := strconv.Atoi(got.Header.Get("Retry-After"))
		if limit != 5 || left != 0 || err != nil || wait < 1 || wait > 60 || reset-time.Now().Unix() > 60 {
			t.Errorf("refused with limit %d, %d left, Retry-After %q", limit, left, got.Header.Get("Retry-After"))
		}
	}
	s.get("/api/v1/nowhere", s.key).want(http.StatusTooManyRequests)
	s.get("/api/v1/accounts", other).want(http.StatusOK)
	for i := range 5 { // all keys that are none share the address
		s.get("/api/v1/accounts", fmt.Sprintf("mk_wrong%d", i)).want(http.StatusUnauthorized)
	}
	s.get("/api/v1/accounts", "mk_wrong").want(http.StatusTooManyRequests)
	s.get("/docs", "").want(http.StatusTooManyRequests)
	s.get("/healthz", "").want(http.StatusOK)
	s.get("/api/v1/accounts", other).want(http.StatusOK)
}

func TestTheWindowThatRefusedIsTold(t *testing.T) {
	t.Parallel()
	s := start(t, limited(t, 2, 1000))
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		got := s.get("/api/v1/accounts", s.key)
		if got.Status != http.StatusTooManyRequests {
			if limit, _, _ := got.limits(); limit != 1000 {
				t.Fatalf("an allowed request is told of the limit %d", limit)
			}
			continue
		}
		limit, left, reset := got.limits()
		if limit != 2 || left != 0 || reset-time.Now().Unix() > 1 || got.Header.Get("Retry-After") != "1" {
			t.Errorf("limit %d, %d left, Retry-After %q", limit, left, got.Header.Get("Retry-After"))
		}
		return
	}
	t.Error("two requests in a second were never exceeded")
}

func TestForwardedAddressesAreBelievedOfProxiesOnly(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	from := func(s *server, forwarded ...string) reply {
		another := fmt.Sprintf("192.0.2.%d", requests.Add(1))
		return s.send(request{Path: "/docs", Header: http.Header{"X-Forwarded-For": forwarded, "X-Real-Ip": {another}}})
	}
	t.Run("no proxies", func(t *testing.T) {
		t.Parallel()
		s := start(t, limited(t, 0, 2))
		awayFromTheMinutesEnd()
		for i := range 3 {
			got := from(s, fmt.Sprintf("203.0.113.%d", i))
			if want := map[bool]int{true: 200, false: 429}[i < 2]; got.Status != want {
				t.Errorf("request %d: %d", i, got.Status)
			}
		}
	})
	t.Run("a trusted proxy", func(t *testing.T) {
		t.Parallel()
		s := start(t, limited(t, 0, 2), func(c *setup) { c.TrustedProxies = []string{"127.0.0.0/8", "10.0.0.7"} })
		awayFromTheMinutesEnd()
		for i := range 3 {
			from(s, fmt.Sprintf("203.0.113.%d", i)).want(http.StatusOK)
		}
		// What the client itself wrote is before what the proxy adds, and is not believed.
		for i := range 3 {
			got := from(s, fmt.Sprintf("198.51.100.%d, 203.0.113.77", i), "10.0.0.7")
			if want := map[bool]int{true: 200, false: 429}[i < 2]; got.Status != want {
				t.Errorf("request %d with a forged address: %d", i, got.Status)
			}
		}
	})
}
