package httpapi_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"dealflow/internal/account"
	"dealflow/internal/httpapi"
	"dealflow/internal/httpapi/operations"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

func TestNothingUnderTheBasePassesWithoutAValidKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	paths := []string{
		"GET /api/v1/companies", "GET /api/v1/companies/" + missing(), "GET /api/v1/companies/nonsense",
		"POST /api/v1/companies/upload/ai",
		"GET /api/v1/accounts", "GET /api/v1/accounts/" + missing() + "/company-statuses", "GET /api/v1/api-keys",
		"DELETE /api/v1/api-keys/" + missing(),
		"GET /api/v1/nowhere", "GET /api/v1", "GET /api/v1/", "GET /api/v1/auth/login", "POST /api/v1/auth/logout",
		"GET /api/v1/invitations/accept", "BREW /api/v1/companies", "PATCH /api/v1/companies",
		"OPTIONS /api/v1/companies", "POST /api/v1/companies/", "GET /api/v1/../../healthz", "GET /api/v1//openapi.json",
		"GET /api/v1/openapi.json/",
	}
	gone := testkit.Key(t, s.db, s.owner.ID)
	must(t, s.deps.Keys.Delete(t.Context(), s.owner.ID, s.keyID(gone)))
	credentials := map[string]string{
		"none": "", "another scheme": "Basic " + s.key, "no scheme": s.key, "empty": "Bearer ",
		"unknown":       "Bearer mk_0000000000000000000000000000000000",
		"no key's form": "Bearer hunter2", "cut off": "Bearer " + s.key[:len(s.key)-1], "longer": "Bearer " + s.key + "x",
		"deleted":    "Bearer " + gone,
		"upper case": "Bearer " + strings.ToUpper(s.key), "two in one": "Bearer " + s.key + " " + s.key,
	}
	for name, credential := range credentials {
		for _, path := range paths {
			method, path, _ := strings.Cut(path, " ")
			header := http.Header{}
			if credential != "" {
				header.Set("Authorization", credential)
			}
			got := s.send(request{Method: method, Path: path, Header: header})
			if got.Status != http.StatusUnauthorized {
				t.Errorf("%s: %s %s is %d: %s", name, method, path, got.Status, got.Raw)
				continue
			}
			if got.at("error") != "Invalid or expired API key" || got.at("success") != false || got.Header.Get("Allow") != "" {
				t.Errorf("%s: %s %s tells %s, Allow %q", name, method, path, got.Raw, got.Header.Get("Allow"))
			}
		}
	}
	twice := http.Header{"Authorization": {"Bearer " + s.key, "Bearer " + s.key}}
	s.send(request{Path: "/api/v1/accounts", Header: twice}).want(http.StatusUnauthorized)
}

func TestTheSchemeIsReadInAnyCase(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, header := range []string{"bearer " + s.key, "BEARER  " + s.key + " "} {
		s.send(request{Path: "/api/v1/accounts", Header: http.Header{"Authorization": {header}}}).want(http.StatusOK)
	}
}

func TestOpenPathsNeedNoKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/healthz", "/readyz", "/docs", "/api/v1/openapi.json"} {
		got := s.get(path, "").want(http.StatusOK)
		if strings.Contains(string(got.Raw), `"authType"`) && got.at("authType") != nil {
			t.Errorf("%s has an authType for nobody", path)
		}
	}
	s.send(request{Path: "/api/v1/openapi.json", Key: "mk_wrong"}).want(http.StatusOK)
}

func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	s := start(t)
	tests := map[string]struct {
		method, path, key string
		status            int
		message, allow    string
	}{
		"path under the base": {"GET", "/api/v1/nowhere", s.key, 404, "Resource not found", ""},
		"the base itself":     {"GET", "/api/v1", s.key, 404, "Resource not found", ""},
		"path outside":        {"GET", "/nowhere", "", 404, "Resource not found", ""},
		"trailing slash":      {"POST", "/api/v1/companies/upload/ai/", s.key, 404, "Resource not found", ""},
		"another case":        {"GET", "/api/v1/Companies", s.key, 404, "Resource not found", ""},
		"double slash":        {"GET", "/api/v1//companies", s.key, 404, "Resource not found", ""},
		"an entrance":         {"GET", "/api/v1/auth/login", s.key, 405, "Method not allowed", "POST"},
		"known path":          {"PUT", "/api/v1/companies", s.key, 405, "Method not allowed", "GET, HEAD, POST"},
		"AI creation":         {"GET", "/api/v1/companies/upload/ai", s.key, 405, "Method not allowed", "POST"},
		"invented method":     {"BREW", "/api/v1/companies", s.key, 405, "Method not allowed", "GET, HEAD, POST"},
		"open path":           {"POST", "/healthz", "", 405, "Method not allowed", "GET, HEAD"},
		"the document":        {"POST", "/api/v1/openapi.json", "", 405, "Method not allowed", "GET, HEAD"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := s.send(request{Method: tc.method, Path: tc.path, Key: tc.key})
			code := map[int]string{404: "unknown_path", 405: "method_not_allowed"}[tc.status]
			got.refused(tc.status, tc.message, code, "")
			if got.Header.Get("Allow") != tc.allow || got.Header.Get("Location") != "" {
				t.Errorf("Allow %q, Location %q; want Allow %q and no redirect", got.Header.Get("Allow"),
					got.Header.Get("Location"), tc.allow)
			}
		})
	}
}

func TestHeadAndOptions(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/api/v1/companies", "/api/v1/accounts", "/healthz", "/docs"} {
		full := s.get(path, s.key).want(http.StatusOK)
		head := s.send(request{Method: http.MethodHead, Path: path, Key: s.key}).want(http.StatusOK)
		if len(head.Raw) != 0 || head.Header.Get("Content-Length") != full.Header.Get("Content-Length") ||
			head.Header.Get("Content-Type") != full.Header.Get("Content-Type") {
			t.Errorf("HEAD %s: %v and %d bytes, GET: %v", path, head.Header, len(head.Raw), full.Header)
		}
	}
	s.send(request{Method: http.MethodHead, Path: "/api/v1/companies/" + missing(), Key: s.key}).want(http.StatusNotFound)
	options := s.send(request{Method: http.MethodOptions, Path: "/api/v1/api-keys", Key: s.key}).want(http.StatusNoContent)
	if options.Header.Get("Allow") != "GET, POST, HEAD" && options.Header.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("OPTIONS allows %q", options.Header.Get("Allow"))
	}
	s.send(request{Method: http.MethodOptions, Path: "/api/v1/nowhere", Key: s.key}).want(http.StatusNotFound)
}

func TestEveryAnswerHasARequestID(t *testing.T) {
	t.Parallel()
	s := start(t)
	made := regexp.MustCompile(`^[0-9a-f-]{36}$`)
	tests := map[string]struct {
		sent string
		kept bool
	}{
		"none":           {"", false},
		"sane":           {"job-42_a.B", true},
		"longest":        {strings.Repeat("a", 128), true},
		"too long":       {strings.Repeat("a", 129), false},
		"spaces":         {"a b", false},
		"markup":         {"<script>", false},
		"JSON":           {`{"a":1}`, false},
		"another script": {"réf", false},
	}
	for name, tc := range tests {
		for _, path := range []string{"/api/v1/accounts", "/api/v1/nowhere", "/healthz", "/docs", "/metrics", "/files/x"} {
			header := http.Header{}
			if tc.sent != "" {
				header.Set("X-Request-Id", tc.sent)
			}
			got := s.send(request{Path: path, Header: header}).Header.Get("X-Request-Id")
			if (tc.kept && got != tc.sent) || (!tc.kept && !made.MatchString(got)) {
				t.Errorf("%s: %s answers with id %q", name, path, got)
			}
		}
	}
	if log := s.log.String(); !strings.Contains(log, `"request_id":"job-42_a.B"`) || strings.Contains(log, "<script>") {
		t.Error("the log does not have the client's id, or has one that is not sane")
	}
}

func TestAPanicIsA500(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) {
		c.Ready = func(context.Context) operations.Readiness { panic("secret of the handler") }
	})
	got := s.do(s.request(http.MethodGet, "/readyz", nil))
	got.refused(http.StatusInternalServerError, "Internal server error", "internal_error", "")
	if strings.Contains(string(got.Raw), "secret") || got.Header.Get("X-Request-Id") == "" {
		t.Errorf("the client is told %s", got.Raw)
	}
	if log := s.log.String(); !strings.Contains(log, "secret of the handler") ||
		!strings.Contains(log, "envelope_test.go") || !strings.Contains(log, `"status":500`) {
		t.Errorf("the log does not say what panicked and where: %s", log)
	}
	s.get("/healthz", "").want(http.StatusOK)
}

func TestADatabaseThatIsGoneIs503(t *testing.T) {
	t.Parallel()
	s := start(t)
	cable := pluggedInto(t, s.dbURL)
	through, err := postgres.Open(t.Context(), cable.url, postgres.Options{})
	must(t, err)
	defer through.Close()
	beside := s.deps
	beside.Accounts, beside.Metrics = account.New(through), prometheus.NewRegistry()
	api, err := httpapi.New(beside)
	must(t, err)
	listener := httptest.NewServer(api)
	defer listener.Close()
	s.url = listener.URL
	s.get("/api/v1/accounts", s.key).want(http.StatusOK)
	cable.cut()
	for range 3 { // over connections that broke, and over new ones
		got := s.get("/api/v1/accounts", s.key)
		got.refused(http.StatusServiceUnavailable, "Service unavailable", "unavailable", "")
		for _, secret := range []string{"127.0.0.1", "conn", "dealflow"} {
			if strings.Contains(string(got.Raw), secret) {
				t.Errorf("the client is told %q: %s", secret, got.Raw)
			}
		}
	}
	s.get("/healthz", "").want(http.StatusOK)
}

// cable is a connection to a server that a test can cut.
type cable struct {
	url      string
	listener net.Listener
	mu       sync.Mutex
	ends     []net.Conn
}

func pluggedInto(t *testing.T, target string) *cable {
	t.Helper()
	parsed, err := url.Parse(target)
	must(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	c := &cable{listener: listener}
	t.Cleanup(c.cut)
	address := parsed.Host
	parsed.Host = listener.Addr().String()
	c.url = parsed.String()
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", address) //nolint:noctx // it ends when it is cut
			if err != nil {
				return
			}
			c.mu.Lock()
			c.ends = append(c.ends, near, far)
			c.mu.Unlock()
			go io.Copy(near, far) //nolint:errcheck // it ends when it is cut
			go io.Copy(far, near) //nolint:errcheck // it ends when it is cut
		}
	}()
	return c
}

func (c *cable) cut() {
	_ = c.listener.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, end := range c.ends {
		_ = end.Close()
	}
}

// A client that sends all of its body before it listens must see the refusal and keep its connection.
func TestARefusedBodyIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	s := start(t)
	address := strings.TrimPrefix(s.url, "http://")
	for name, tc := range map[string]struct{ path, key, media string }{
		"no key":          {"/api/v1/companies/upload/ai", "", "multipart/form-data; boundary=x"},
		"unknown path":    {"/api/v1/nowhere", s.key, "application/json"},
		"too large":       {"/api/v1/api-keys", s.key, "application/json"},
		"another type":    {"/api/v1/companies/upload/ai", s.key, "application/json"},
		"broken form":     {"/api/v1/companies/upload/ai", s.key, "multipart/form-data; boundary=x"},
		"limit of a form": {"/api/v1/api-keys", "", "application/json"},
	} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		must(t, err)
		const size = 8 << 20
		_, err = io.WriteString(conn, "POST "+tc.path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+tc.key+
			"\r\nContent-Type: "+tc.media+
			"\r\nContent-Length: 8388608\r\n\r\n")
		must(t, err)
		if _, err := io.Copy(conn, io.LimitReader(zeros{}, size)); err != nil {
			t.Errorf("%s: the body could not be sent: %v", name, err)
		}
		_, err = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		must(t, err)
		answers, err := io.ReadAll(conn)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
		if text := string(answers); !strings.HasPrefix(text, "HTTP/1.1 4") || !strings.Contains(text, `"status":"ok"`) {
			t.Errorf("%s: the connection answers %.300q", name, text)
		}
		must(t, conn.Close())
	}
}

func TestABodyThatWasNotSentYetIsNotAskedFor(t *testing.T) {
	t.Parallel()
	s := start(t)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	must(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn,
		"POST /api/v1/companies/upload/ai HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n")
	must(t, err)
	answer := make([]byte, 64)
	n, err := conn.Read(answer)
	must(t, err)
	if !strings.HasPrefix(string(answer[:n]), "HTTP/1.1 401") {
		t.Errorf("the answer begins with %q", answer[:n])
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestAnswersTellBrowsersToBeCareful(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/api/v1/accounts", "/api/v1/nowhere", "/healthz"} {
		got := s.get(path, s.key)
		if got.Header.Get("X-Content-Type-Options") != "nosniff" || got.Header.Get("Cache-Control") != "no-store" ||
			got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v", path, got.Header)
		}
	}
}
