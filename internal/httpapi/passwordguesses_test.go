package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
)

// from logs in from an address; device is the cookie of a browser, or nil.
func (s *server) from(address, password string, device *http.Cookie) reply {
	s.Helper()
	header := http.Header{"X-Forwarded-For": {address}}
	if device != nil {
		header.Set("Cookie", device.Name+"="+device.Value)
	}
	body := map[string]any{"email": s.owner.Email, "password": password}
	return s.send(request{Method: http.MethodPost, Path: "/api/v1/auth/login", Body: body, Header: header})
}

// guess sends wrong passwords from these addresses until one is refused for their number.
func (s *server) guess(device *http.Cookie, address func(i int) string) {
	s.Helper()
	for i := range 200 {
		if got := s.from(address(i), "a wrong password", device); got.Status == http.StatusTooManyRequests {
			return
		}
	}
	s.Fatal("nobody is ever locked out")
}

func TestWrongPasswordsLockOutTheirSourceAlone(t *testing.T) {
	t.Parallel()
	s := start(t, func(s *setup) { s.TrustedProxies = []string{"127.0.0.1"} })
	must(t, s.deps.SignIn.SetPassword(t.Context(), s.owner.ID, password))
	s.guess(nil, func(int) string { return "192.0.2.1" })
	s.from("192.0.2.1", password, nil).want(http.StatusTooManyRequests)
	s.from("192.0.2.2", password, nil).want(http.StatusOK)

	s.guess(nil, func(i int) string { return fmt.Sprintf("2001:db8:1:2::%x", i+1) })
	s.from("2001:db8:1:2:ffff::1", password, nil).want(http.StatusTooManyRequests)
	s.from("2001:db8:1:3::1", password, nil).want(http.StatusOK)
}

func TestAKnownBrowserIsNotLockedOutByOthers(t *testing.T) {
	t.Parallel()
	s := start(t, func(s *setup) { s.TrustedProxies = []string{"127.0.0.1"} })
	must(t, s.deps.SignIn.SetPassword(t.Context(), s.owner.ID, password))
	device := func(r reply) *http.Cookie {
		for _, line := range r.Header.Values("Set-Cookie") {
			if cookie, err := http.ParseSetCookie(line); err == nil && cookie.Name == "dealflow_device" && cookie.HttpOnly {
				return cookie
			}
		}
		return nil
	}
	known := device(s.from("192.0.2.1", password, nil).want(http.StatusOK))
	if known == nil {
		t.Fatal("a login sets no cookie of the device")
	}
	s.guess(nil, func(i int) string { return fmt.Sprintf("198.51.100.%d", i) }) // all sources together
	s.from("192.0.2.9", password, nil).want(http.StatusTooManyRequests)
	s.from("192.0.2.9", password, known).want(http.StatusOK)
	forged := *known
	forged.Value = uuid.NewString() + "." + known.Value
	s.from("192.0.2.9", password, &forged).want(http.StatusTooManyRequests)
	s.guess(known, func(int) string { return "192.0.2.9" }) // it is limited by itself
	s.from("192.0.2.9", password, known).want(http.StatusTooManyRequests)
}
