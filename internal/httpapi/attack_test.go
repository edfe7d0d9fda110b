package httpapi_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"dealflow/internal/testkit"
)

// Links in texts, mails and answers are read and never followed: nobody outside has this server ask another one.
func TestNothingFollowsALink(t *testing.T) {
	t.Parallel()
	s := start(t)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	var asked atomic.Int32
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			_ = conn.Close()
		}
	}()
	base := "http://" + listener.Addr().String()
	text := "Our deck: " + base + "/deck.pdf and https://docsend.com@" + listener.Addr().String() +
		"/view/x and <img src=\"" + base + "/pixel.gif\">"
	id := s.company(s.key, part{"text", "", text},
		part{"file_0", "deck.html", "<script src=\"" + base + "/x.js\"></script>" + text})
	s.change(companies+"/"+id, s.key, map[string]any{"deck_link": base + "/deck"}).want(http.StatusOK)
	h := s.hook("email", map[string]any{"create_companies": true})
	mail := "From: ivy@brackenfield.example\r\nMessage-ID: <1@x>\r\nContent-Type: text/html\r\n\r\n" + text
	h.handSigned("message/rfc822", []byte(mail)).want(http.StatusAccepted)
	s.eventually("the mail got its company", func() bool { return s.count("email_companies") == 1 })
	_, code := s.share(s.key, "full", nil, id)
	s.open(code).want(http.StatusOK)
	must(t, listener.Close())
	if n := asked.Load(); n != 0 {
		t.Errorf("%d connections were made to a link", n)
	}
}

// What people type is shown on pages as text, whatever it is.
func TestNothingOfOthersRunsOnAPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	const script = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	id := s.company(s.key, part{"name", "", script}, part{"notes", "", script + "[x](javascript:alert(1))"},
		part{"file_0", "<script>alert(1)</script>.txt", script})
	s.change(companies+"/"+id, s.key, map[string]any{
		"metadata": map[string]any{"website": "javascript:alert(1)", "sector": script},
	}).want(http.StatusOK)
	s.change(companies+"/"+id, s.key, map[string]any{"deck_link": "javascript:alert(1)"})
	_, code := s.share(s.key, "full", map[string]any{"name": script, "description": script}, id)
	fund := testkit.Account(t, s.db, s.owner.ID, script)
	invited := s.post("/api/v1/accounts/"+fund.ID.String()+"/invitations", s.key,
		map[string]any{"email": "grace@fund.example"}).want(http.StatusCreated)
	page := "/invitations/" + path.Base(invited.text("data.accept_url"))
	for name, got := range map[string]reply{
		"share page": s.open(code), "invitation": s.get(page, ""),
		"invitation refused": s.join(page, url.Values{"name": {script}, "password": {"short"}}, nil),
	} {
		text := strings.ToLower(string(got.Raw))
		for _, part := range []string{"<script>", "<img", `href="javascript:`} {
			if strings.Contains(text, part) {
				t.Errorf("%s holds %q: %s", name, part, got.Raw)
			}
		}
		if !strings.Contains(got.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %v", name, got.Header)
		}
	}
}

// Every answer forbids a browser to frame, guess or keep it, whoever asks for what.
func TestEveryAnswerIsHardened(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.company(s.key, part{"file_0", "deck.svg", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`})
	file := s.local(s.get(companies+"/"+id+"/download", s.key).text("data.download_url"))
	_, code := s.share(s.key, "full", nil, id)
	paths := []string{
		"/", "/healthz", "/readyz", "/docs", "/api/v1/openapi.json", "/api/v1/accounts", companies, companies + "/" + id,
		"/api/v1/nowhere", "/s/" + code, "/s/unknown",
		"/invitations/unknown", "/hooks/unknown", "/metrics", "/admin/queues", file, "/files/unknown",
	}
	for _, path := range paths {
		got := s.send(request{Path: path, Key: s.key})
		policy := got.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "frame-ancestors 'none'") && !strings.HasPrefix(policy, "sandbox") {
			t.Errorf("%s may be framed: %q", path, policy)
		}
		if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("%s may load: %q", path, policy)
		}
		if got.Header.Get("X-Content-Type-Options") != "nosniff" || got.Header.Get("Referrer-Policy") != "no-referrer" ||
			got.Header.Get("Strict-Transport-Security") != "max-age=31536000" {
			t.Errorf("%s: %v", path, got.Header)
		}
		if kept := got.Header.Get("Cache-Control"); kept != "no-cache" && kept != "no-store" &&
			!strings.HasPrefix(kept, "private") {
			t.Errorf("%s may be kept by others: %q", path, kept)
		}
	}
	operator := s.as("operator", "correct horse", http.MethodGet, "/admin/queues", nil)
	policy := operator.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "frame-ancestors 'none'; base-uri 'none'; object-src 'none'") ||
		!strings.Contains(policy, "default-src 'self'") || !strings.Contains(policy, "script-src 'self' 'unsafe-inline'") ||
		strings.Contains(policy, "http") {
		t.Errorf("the dashboard's policy is %q: its scripts would not run, or others may frame it or be loaded", policy)
	}
}

// A body is not read as JSON if it has a media type that a form of another site can send without a preflight request.
func TestFormsOfOtherSitesAreNoJSON(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, cookie := s.register("ada@fund.example")
	before := s.count("api_keys")
	for _, media := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		sent := request{Method: http.MethodPost, Path: "/api/v1/api-keys", Body: `{"name":"stolen"}`, Type: media}
		if got := s.with(cookie, sent); got.Status != http.StatusUnsupportedMediaType {
			t.Errorf("%s: %d %s", media, got.Status, got.Raw)
		}
		if got := s.with(cookie, sent, "Referer", "https://evil.example/", "Origin",
			"https://evil.example"); got.Status != http.StatusForbidden {
			t.Errorf("%s by another site: %d %s", media, got.Status, got.Raw)
		}
	}
	if cookie.SameSite == http.SameSiteNoneMode || !cookie.HttpOnly || !cookie.Secure || s.count("api_keys") != before {
		t.Errorf("the cookie is %v; %d keys, before %d", cookie, s.count("api_keys"), before)
	}
}

// The log of requests with every kind of secret must have no secret, and no line that somebody else wrote.
func TestTheLogHoldsNoSecret(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, cookie := s.register("ada@fund.example")
	s.with(cookie, request{Path: "/api/v1/auth/me"}).want(http.StatusOK)
	made := s.post("/api/v1/api-keys", s.key, `{"name":"another"}`).want(http.StatusCreated).text("data.key")
	s.get("/api/v1/accounts", made).want(http.StatusOK)
	s.post("/api/v1/auth/login", "", map[string]any{"email": "ada@fund.example", "password": "guess of a password"}).
		want(http.StatusUnauthorized)
	h := s.hook("email", nil)
	h.handSigned("message/rfc822", mailOf("1")).want(http.StatusAccepted)
	h.hand("message/rfc822", mailOf("2"), basic(h.secret)).want(http.StatusAccepted)
	h.hand("message/rfc822", mailOf("3"), basic("guess of a secret")).want(http.StatusUnauthorized)
	id := s.company(s.key, part{"text", "", "Confidential words of a founder"},
		part{"file_0", "deck.txt", "Confidential words of a deck"})
	link := s.get(companies+"/"+id+"/download", s.key).text("data.download_url")
	signed, err := url.Parse(link)
	must(t, err)
	s.get(signed.RequestURI(), "").want(http.StatusOK)
	s.get(signed.RequestURI()+"0", "").want(http.StatusForbidden)
	_, code := s.share(s.key, "full", map[string]any{"password": "password of a link"}, id)
	s.unlock(code, "password of a link")
	s.unlock(code, "guess of a link")
	page, _ := s.invited("grace@fund.example")
	s.join(page, url.Values{"name": {"Grace"}, "password": {"password of grace"}}, nil)
	s.get("/api/v1/accounts", "mk_guessguessguessguessguessguessguess").want(http.StatusUnauthorized)
	s.get("/api/v1/companies?search=searched+words&api_key="+made, s.key)
	s.get("/api/v1/x%0A%7B%22level%22%3A%22ERROR%22%2C%22msg%22%3A%22forged%22%7D", s.key)
	s.send(request{
		Path: "/healthz", Header: http.Header{"X-Request-Id": {`x","msg":"forged`}, "User-Agent": {`x","msg":"forged`}},
	})
	secrets := []string{
		s.key, made, password, cookie.Value, h.secret, path.Base(h.path), code, path.Base(page),
		signed.Query().Get("signature"), "guess of a", "mk_guess",
		"password of", "correct horse", "Confidential words", "searched words", "searched+words", "forged",
	}
	for line := range strings.SplitSeq(strings.TrimSpace(s.log.String()), "\n") {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of the log is no JSON: %q", line)
		}
		if i := slices.IndexFunc(secrets, func(secret string) bool {
			return secret != "" && strings.Contains(line, secret)
		}); i >= 0 {
			t.Errorf("the log holds %q: %s", secrets[i], line)
		}
	}
	if signed.Query().Get("signature") == "" {
		t.Errorf("%s has another parameter for its signature", link)
	}
}
