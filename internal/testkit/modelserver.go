package testkit

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// ModelServer is a fake of a server with OpenAI's chat interface. It answers each request with the next of its
// replies, and with the last one from then on.
type ModelServer struct {
	// URL is the base URL to give to a client; it ends in /v1.
	URL string

	mu       sync.Mutex
	replies  []ModelReply
	requests []ModelRequest
	stop     chan struct{}
}

// ModelReply writes one answer of the server. It must return once stop is closed.
type ModelReply func(w http.ResponseWriter, r *http.Request, stop <-chan struct{})

// ModelRequest is a request that the server got.
type ModelRequest struct {
	Authorization string
	Body          []byte
	Model         string
	System, User  string         // the messages of these roles
	Format        string         // the type of the response format, "" without one
	Schema        map[string]any // of the response format, nil without one
	Strict        bool
	MaxOutput     int // tokens, by either of its names
}

// NewModelServer starts the fake and stops it when the test ends, also where a reply still hangs.
func NewModelServer(tb testing.TB, replies ...ModelReply) *ModelServer {
	tb.Helper()
	m := &ModelServer{replies: replies, stop: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(m.serve))
	tb.Cleanup(func() {
		close(m.stop)
		server.CloseClientConnections()
		server.Close()
	})
	m.URL = server.URL + "/v1"
	return m
}

func (m *ModelServer) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "cannot read", http.StatusBadRequest)
		return
	}
	m.take(r, body)(w, r.WithContext(context.WithValue(r.Context(), formatKey{}, readModelRequest(body).Format)), m.stop)
}

type formatKey struct{}

// take notes the request and returns the reply to play.
func (m *ModelServer) take(r *http.Request, body []byte) ModelReply {
	request := readModelRequest(body)
	request.Authorization = r.Header.Get("Authorization")
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, request)
	if len(m.replies) == 0 {
		return ModelStatus(http.StatusNotImplemented)
	}
	reply := m.replies[0]
	if len(m.replies) > 1 {
		m.replies = m.replies[1:]
	}
	return reply
}

func readModelRequest(body []byte) ModelRequest {
	var asked struct {
		Model    string
		Messages []struct{ Role, Content string }
		Old      int `json:"max_tokens"`
		New      int `json:"max_completion_tokens"`
		Format   struct {
			Type       string
			JSONSchema struct {
				Schema map[string]any
				Strict bool
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	request := ModelRequest{Body: body}
	if json.Unmarshal(body, &asked) != nil {
		return request
	}
	request.Model, request.Schema, request.Strict = asked.Model, asked.Format.JSONSchema.Schema,
		asked.Format.JSONSchema.Strict
	request.Format, request.MaxOutput = asked.Format.Type, max(asked.Old, asked.New)
	for _, message := range asked.Messages {
		if message.Role == "system" {
			request.System += message.Content
		} else {
			request.User += message.Content
		}
	}
	return request
}

// Requests returns what was asked so far.
func (m *ModelServer) Requests() []ModelRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]ModelRequest{}, m.requests...)
}

// ModelAnswer replies with the content, JSON of any value, as a finished message that cost 100 and 20 tokens.
func ModelAnswer(content any) ModelReply {
	data, err := json.Marshal(content)
	if err != nil {
		return ModelStatus(http.StatusInternalServerError)
	}
	return ModelText(string(data), "stop")
}

// ModelText replies with the text as the message's content, and with the reason why it ended ("stop", "length",
// "content_filter").
func ModelText(content, finish string) ModelReply {
	return modelMessage(map[string]any{"role": "assistant", "content": content}, finish)
}

// ModelRefusal replies with a refusal.
func ModelRefusal() ModelReply {
	return modelMessage(map[string]any{"role": "assistant", "content": "", "refusal": "I cannot help with that."}, "stop")
}

func modelMessage(message map[string]any, finish string) ModelReply {
	return modelJSON(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "model": "fake",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
	})
}

func modelJSON(value any) ModelReply {
	return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(value)
	}
}

// ModelEmpty replies without any choice.
func ModelEmpty() ModelReply { return modelJSON(map[string]any{"choices": []any{}}) }

// ModelStatus refuses with the status and an error of OpenAI's form.
func ModelStatus(status int) ModelReply {
	return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"error":{"message":"fake trouble","type":"fake","code":"fake"}}`)
	}
}

// ModelRetryAfter refuses with the status and says in how many seconds to come again.
func ModelRetryAfter(status int, seconds string) ModelReply {
	return func(w http.ResponseWriter, r *http.Request, stop <-chan struct{}) {
		w.Header().Set("Retry-After", seconds)
		ModelStatus(status)(w, r, stop)
	}
}

// ModelKnowing refuses, as older servers do, requests whose response format is not one of these ("json_schema",
// "json_object", "" for none), and plays the reply to the others.
func ModelKnowing(reply ModelReply, formats ...string) ModelReply {
	return func(w http.ResponseWriter, r *http.Request, stop <-chan struct{}) {
		if format, _ := r.Context().Value(formatKey{}).(string); !slices.Contains(formats, format) {
			ModelStatus(http.StatusBadRequest)(w, r, stop)
			return
		}
		reply(w, r, stop)
	}
}

// ModelGarbage replies with a body that is not JSON at all.
func ModelGarbage() ModelReply {
	return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		_, _ = io.WriteString(w, "<html>It works!</html>")
	}
}

// ModelFlood replies with a body that does not end.
func ModelFlood() ModelReply {
	return func(w http.ResponseWriter, r *http.Request, stop <-chan struct{}) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"`)
		for chunk := strings.Repeat("a", 1<<16); ; {
			select {
			case <-stop:
				return
			case <-r.Context().Done():
				return
			default:
			}
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	}
}

// ModelSlow waits before it plays the reply.
func ModelSlow(wait time.Duration, reply ModelReply) ModelReply {
	return func(w http.ResponseWriter, r *http.Request, stop <-chan struct{}) {
		select {
		case <-time.After(wait):
			reply(w, r, stop)
		case <-stop:
		case <-r.Context().Done():
		}
	}
}

// ModelHang never answers.
func ModelHang() ModelReply {
	return func(_ http.ResponseWriter, r *http.Request, stop <-chan struct{}) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}
}

// ModelClose breaks the connection without an answer.
func ModelClose() ModelReply {
	return func(http.ResponseWriter, *http.Request, <-chan struct{}) { panic(http.ErrAbortHandler) }
}
