package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"dealflow/internal/account/signin"
)

func TestASecondFactorFromStartToEnd(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, cookie := s.register("ada@fund.example")
	totp := func(method, path string, body map[string]any) reply {
		return s.with(cookie, request{Method: method, Path: "/api/v1/auth/totp" + path, Body: body})
	}
	login := func(code string) reply {
		body := map[string]any{"email": "ada@fund.example", "password": password}
		if code != "" {
			body["totp_code"] = code
		}
		return s.post("/api/v1/auth/login", "", body)
	}
	me := func() any {
		return s.with(cookie, request{Path: "/api/v1/auth/me"}).want(http.StatusOK).at("data.user.totp_enabled")
	}
	const wrong = "Invalid or expired API key"

	s.post("/api/v1/auth/totp", s.key, map[string]any{"password": password}).refused(http.StatusForbidden,
		"Access denied to this resource", "session_required", "authorization")
	totp(http.MethodPost, "", map[string]any{}).want(http.StatusBadRequest)
	totp(http.MethodPost, "", map[string]any{"password": "wrong password"}).refused(http.StatusUnauthorized, wrong,
		"invalid_credentials", "")
	totp(http.MethodPost, "/confirm", map[string]any{"code": "123456"}).want(http.StatusConflict)
	secret := totp(http.MethodPost, "", map[string]any{"password": password}).want(http.StatusOK).text("data.secret")
	if me() != false {
		t.Error("it is on before it is confirmed")
	}
	login("").want(http.StatusOK)
	code, err := signin.TOTPCode(secret, time.Now())
	must(t, err)
	totp(http.MethodPost, "/confirm", map[string]any{"code": "12345"}).want(http.StatusBadRequest)
	confirmed := totp(http.MethodPost, "/confirm", map[string]any{"code": code}).want(http.StatusOK)
	if me() != true || confirmed.text("data.recovery_codes.9") == "" {
		t.Errorf("confirmed with %s", confirmed.Raw)
	}
	login("").refused(http.StatusUnauthorized, wrong, "totp_required", "totp_code")
	login(code).refused(http.StatusUnauthorized, wrong, "invalid_credentials", "") // it confirmed
	login(confirmed.text("data.recovery_codes.0")).want(http.StatusOK)
	for range 100 {
		if login("000000").Status == http.StatusTooManyRequests {
			break
		}
	}
	login(confirmed.text("data.recovery_codes.1")).want(http.StatusTooManyRequests)
}

func TestASecondFactorEndsWithTheOtherSessions(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, cookie := s.register("ada@fund.example")
	other := s.post("/api/v1/auth/login", "", map[string]any{"email": "ada@fund.example", "password": password}).
		want(http.StatusOK).cookie()
	end := func(body map[string]any) reply {
		return s.with(cookie, request{Method: http.MethodDelete, Path: "/api/v1/auth/totp", Body: body})
	}
	end(map[string]any{"password": password}).want(http.StatusNotFound)
	begin := map[string]any{"password": password}
	s.with(cookie, request{Method: http.MethodPost, Path: "/api/v1/auth/totp", Body: begin}).want(http.StatusOK)
	end(map[string]any{"password": "wrong password"}).want(http.StatusUnauthorized)
	s.with(other, request{Path: "/api/v1/auth/me"}).want(http.StatusOK)
	end(map[string]any{"password": password}).want(http.StatusOK)
	s.with(other, request{Path: "/api/v1/auth/me"}).want(http.StatusUnauthorized)
	s.with(cookie, request{Path: "/api/v1/auth/me"}).want(http.StatusOK)
}
