package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	bodies "dealflow/internal/httpapi/request"
)

// hasty sets the time limits of the server to almost nothing.
func hasty(c *setup) {
	c.Bodies = bodies.BodyLimits{Grace: 300 * time.Millisecond, Stall: 400 * time.Millisecond, Rate: 1 << 10}
}

// slowly sends a request's head and the beginning of its body, and then a byte now and then, until the server answers.
func (s *server) slowly(head, begin string) *http.Response {
	s.Helper()
	c, err := (&net.Dialer{}).DialContext(s.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	must(s.T, err)
	s.Cleanup(func() { _ = c.Close() })
	_, err = io.WriteString(c, head+"\r\nHost: deals.example\r\nContent-Length: 5000\r\n\r\n"+begin)
	must(s.T, err)
	ended := make(chan struct{})
	s.Cleanup(func() { <-ended })
	go func() {
		defer close(ended)
		for {
			time.Sleep(20 * time.Millisecond)
			if _, err := io.WriteString(c, " "); err != nil {
				return
			}
		}
	}()
	must(s.T, c.SetReadDeadline(time.Now().Add(8*time.Second)))
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		s.Fatalf("a slow body is waited for: %v", err)
	}
	s.Cleanup(func() { _ = answer.Body.Close(); _ = c.Close() })
	return answer
}

func TestABodyThatComesTooSlowlyIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t, hasty)
	s.get("/api/v1/accounts", s.key).want(http.StatusOK) // a key that was seen is looked up late, after the body
	bearer := "\r\nAuthorization: Bearer " + s.key
	form := "--x\r\nContent-Disposition: form-data; name=\"file_0\"; filename=\"a.pdf\"\r\n\r\n%PDF"
	for name, tc := range map[string]struct{ head, begin string }{
		"a login":   {"POST /api/v1/auth/login HTTP/1.1\r\nContent-Type: application/json", `{"email":`},
		"a company": {"POST " + companies + " HTTP/1.1\r\nContent-Type: application/json" + bearer, `{"name":`},
		"an upload": {"POST " + upload + " HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=x" + bearer, form},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := s.slowly(tc.head, tc.begin)
			defer answer.Body.Close()
			raw, _ := io.ReadAll(answer.Body)
			if answer.StatusCode != http.StatusRequestTimeout || !answer.Close ||
				!strings.Contains(string(raw), `"code":"request_timeout"`) {
				t.Errorf("answered %d, close %v: %s", answer.StatusCode, answer.Close, raw)
			}
		})
	}
}

func TestASlowImportEndsWithItsRows(t *testing.T) {
	t.Parallel()
	s := start(t, hasty)
	rows := `{"external_id":"1","from_email":"ada@acme.example","content":"anvils"}` + "\n" + `{"external_id":"2",`
	answer := s.slowly("POST "+s.accountPath("imports/emails")+
		" HTTP/1.1\r\nContent-Type: application/x-ndjson\r\nAuthorization: Bearer "+s.key, rows)
	defer answer.Body.Close()
	raw, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusAccepted || !strings.Contains(string(raw), "broke off after 1 rows") {
		t.Errorf("answered %d %s", answer.StatusCode, raw)
	}
}

// TestABodyMayComeInPauses sends fast after each pause: the time in which the server does not wait for the client does
// not count.
func TestABodyMayComeInPauses(t *testing.T) {
	t.Parallel()
	// All pauses together are longer than a stall may be, and one is much shorter, also on a busy machine.
	s := start(t, hasty, func(c *setup) { c.Bodies.Stall = 2 * time.Second })
	body, writer := io.Pipe()
	go func() {
		for range 5 {
			_, _ = fmt.Fprintf(writer, `{"external_id":"%s","from_email":"ada@acme.example"}`+"\n", strings.Repeat("x", 2000))
			time.Sleep(500 * time.Millisecond)
		}
		_ = writer.Close()
	}()
	request := s.request(http.MethodPost, s.accountPath("imports/emails"), body)
	request.Header.Set("Content-Type", "application/x-ndjson")
	request.Header.Set("Authorization", "Bearer "+s.key)
	if got := s.do(request).want(http.StatusAccepted); got.at("data.import.error") != nil {
		t.Errorf("it ended as %s", got.Raw)
	}
}

// TestAStoppingProcessEndsWhatOnlyWaits has a creation that waits for workers, which there are none of, and an import
// that still comes.
func TestAStoppingProcessEndsWhatOnlyWaits(t *testing.T) {
	t.Parallel()
	stopping := make(chan struct{})
	cutOff, cut := context.WithCancel(t.Context())
	s := start(t, func(c *setup) {
		c.NoWorker, c.Stopping, c.CutOff, c.AnalysisWait = true, stopping, cutOff, time.Minute
	})
	waiting, importing := make(chan reply, 1), make(chan reply, 1)
	go func() { waiting <- s.form(s.key, s.parts()...) }()
	body, writer := io.Pipe()
	request := s.request(http.MethodPost, s.accountPath("imports/emails"), body)
	request.Header.Set("Content-Type", "application/x-ndjson")
	request.Header.Set("Authorization", "Bearer "+s.key)
	go func() { importing <- s.do(request) }()
	_, err := io.WriteString(writer, `{"external_id":"1","from_email":"ada@acme.example"}`+"\n")
	must(t, err)
	for s.count("work") == 0 {
		time.Sleep(50 * time.Millisecond)
	}
	s.get("/readyz", "").want(http.StatusOK)
	close(stopping)
	got := <-waiting
	if got.want(http.StatusOK); got.at("data.analysis.processedAt") != nil || !got.Closes {
		t.Errorf("answered %s, %v", got.Raw, got.Header)
	}
	ready := s.get("/readyz", "").want(http.StatusServiceUnavailable)
	if ready.text("code") != "unavailable" || ready.Header.Get("Retry-After") == "" {
		t.Errorf("/readyz answers %s, %v", ready.Raw, ready.Header)
	}
	if again := s.get("/api/v1/accounts", s.key).want(http.StatusOK); !again.Closes {
		t.Errorf("a client may keep its connection: %v", again.Header)
	}
	cut()
	if end := <-importing; end.want(http.StatusAccepted).text("data.import.status") == "receiving" ||
		!strings.Contains(end.text("data.import.error"), "broke off after 1 rows") {
		t.Errorf("the import stands as %s", end.Raw)
	}
	_ = writer.Close()
	pipe, late := io.Pipe() // what comes whole is served still, what does not is not waited for
	t.Cleanup(func() { _ = late.Close() })
	request = s.request(http.MethodPost, s.statusesPath(), pipe)
	request.Header.Set("Authorization", "Bearer "+s.key)
	refused := s.do(request)
	if refused.Status != http.StatusServiceUnavailable || refused.Header.Get("Retry-After") == "" {
		t.Errorf("a body after the end: %d %s", refused.Status, refused.Raw)
	}
	s.post(s.statusesPath(), s.key, `{"name":"Late"}`).want(http.StatusCreated)
}
