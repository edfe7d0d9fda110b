package agents_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dealflow/client"
	"dealflow/internal/agents"
)

// answers is an http.RoundTripper that calls a function instead of sending requests.
type answers func(*http.Request) (*http.Response, error)

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

func refusal(status int, header http.Header, body string) answers {
	return func(r *http.Request) (*http.Response, error) {
		answer := io.NopCloser(strings.NewReader(body))
		return &http.Response{StatusCode: status, Header: header, Body: answer, Request: r}, nil
	}
}

// dial returns an MCP client of the tools. The tools send their requests to the API by send, and log to log.
func dial(t *testing.T, send answers, log io.Writer) *mcp.ClientSession {
	t.Helper()
	api, err := client.New("http://deals.example/api/v1", "mk_x")
	if err != nil {
		t.Fatal(err)
	}
	asked := api.WithHTTPClient(&http.Client{Transport: send})
	server, err := agents.New(asked, "1", slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	fromAgent, toServer := io.Pipe()
	fromServer, toAgent := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(t.Context(), fromAgent, toAgent) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return session
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		send   answers
		want   string
		logged bool
	}{
		"key": {refusal(401, nil, `{"success":false,"error":"Invalid or expired API key","code":"invalid_api_key"}`), "ask the user for another", false},
		"limit": {
			refusal(429, http.Header{"Retry-After": {"7"}}, `{"success":false,"error":"Rate limit exceeded"}`),
			"Rate limit exceeded. Wait 7 seconds", false,
		},
		"conflict": {refusal(409, nil, `{"success":false,"error":"Conflict","code":"outcome_unknown"}`), "Read the present state", false},
		"merged": {
			refusal(410, nil, `{"success":false,"error":"Gone","code":"company_merged","merged_into":"c1"}`),
			"Gone. It was merged into company c1: use that id.", false,
		},
		"failure": {
			refusal(500, http.Header{"X-Request-Id": {"r1"}}, `{"success":false,"error":"Internal server error"}`),
			"the id of the request is r1", false,
		},
		"no network": {
			func(*http.Request) (*http.Response, error) { return nil, errors.New("mk_x is refused") },
			"the service could not be asked", true,
		},
		"another site": {refusal(200, nil, `<html>`), "the service could not be asked", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			result, err := dial(t, tc.send, &log).CallTool(t.Context(), &mcp.CallToolParams{Name: "list_accounts"})
			if err != nil || !result.IsError {
				t.Fatalf("%v, %+v", err, result)
			}
			said := result.Content[0].(*mcp.TextContent).Text
			if !strings.Contains(said, tc.want) || strings.Contains(said, "mk_x") {
				t.Errorf("said %q, want %q", said, tc.want)
			}
			if logged := strings.Contains(log.String(), "a tool failed"); logged != tc.logged {
				t.Errorf("logged %q", log.String())
			}
		})
	}
}

func TestAPanicEndsOneCallAlone(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	session := dial(t, func(*http.Request) (*http.Response, error) { panic("boom") }, &log)
	for range 2 {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_accounts"})
		if err == nil || !strings.Contains(err.Error(), "internal error") {
			t.Errorf("answered %v", err)
		}
	}
	if strings.Count(log.String(), "a tool panicked") != 2 {
		t.Errorf("logged %q", log.String())
	}
}
