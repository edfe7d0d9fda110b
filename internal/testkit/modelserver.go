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

// ModelServer is a fake server with OpenAI's chat interface. It answers each request with the next of its replies, and
// repeats the last one. Without replies it answers with the status 501. It is safe for concurrent use.
type ModelServer struct {
	// URL is the base URL to give to a client; it ends in /v1.
	URL string

	mu       sync.Mutex
	replies  []ModelReply
	requests []ModelRequest
	stop     chan struct{}
}

// ModelReply writes the response to a request. It must return once stop is closed, which means that the test ends.
type ModelReply func(w http.ResponseWriter, r *http.Request, stop <-chan struct{})

// ModelRequest is a request that a ModelServer received.
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

// NewModelServer starts a ModelServer. It is stopped when the test ends, even if a reply is still being written.
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

// take records the request, and returns the reply with which it must be answered.
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

// Requests returns the requests to the chat interface so far, in the order in which they came.
func (m *ModelServer) Requests() []ModelRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]ModelRequest{}, m.requests...)
}

// ModelAnswer returns a reply whose message is content, encoded as JSON, and which ended because of "stop". As in the
// replies of ModelText and ModelRefusal, the usage is 100 tokens of the prompt and 20 of the answer. If content cannot
// be encoded, the reply has the status 500.
func ModelAnswer(content any) ModelReply {
	data, err := json.Marshal(content)
	if err != nil {
		return ModelStatus(http.StatusInternalServerError)
	}
	return ModelText(string(data), "stop")
}

// ModelText returns a reply whose message is content, and which ended because of finish: "stop", "length" or
// "content_filter".
func ModelText(content, finish string) ModelReply {
	return modelMessage(map[string]any{"role": "assistant", "content": content}, finish)
}

// ModelRefusal returns a reply in which the model refuses to answer.
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

// ModelEmpty returns a reply without any choices.
func ModelEmpty() ModelReply { return modelJSON(map[string]any{"choices": []any{}}) }

// ModelStatus returns a reply with this HTTP status and an error in OpenAI's format.
func ModelStatus(status int) ModelReply {
	return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"error":{"message":"fake trouble","type":"fake","code":"fake"}}`)
	}
}

// ModelRetryAfter returns a reply as ModelStatus does, with the header Retry-After set to seconds.
func ModelRetryAfter(status int, seconds string) ModelReply {
	return func(w http.ResponseWriter, r *http.Request, stop <-chan struct{}) {
		w.Header().Set("Retry-After", seconds)
		ModelStatus(status)(w, r, stop)
	}
}

// ModelKnowing returns a reply that refuses a request with the status 400, as older servers do, if its response format
// is not among formats ("json_schema", "json_object", or "" for none). It answers other requests with reply.
func ModelKnowing(reply ModelReply, formats ...string) ModelReply {
	return func(w http.ResponseWriter, r *http.Request, stop <-chan struct{}) {
		if format, _ := r.Context().Value(formatKey{}).(string); !slices.Contains(formats, format) {
			ModelStatus(http.StatusBadRequest)(w, r, stop)
			return
		}
		reply(w, r, stop)
	}
}

// ModelGarbage returns a reply whose body is not JSON.
func ModelGarbage() ModelReply {
	return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		_, _ = io.WriteString(w, "<html>It works!</html>")
	}
}

// ModelFlood returns a reply whose body does not end until the client closes the connection or the test ends.
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

// ModelSlow returns a reply that waits and then answers with reply. It writes nothing if the client closes the
// connection or the test ends first.
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

// ModelHang returns a reply that writes nothing until the client closes the connection or the test ends.
func ModelHang() ModelReply {
	return func(_ http.ResponseWriter, r *http.Request, stop <-chan struct{}) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}
}

// ModelClose returns a reply that breaks the connection without a response.
func ModelClose() ModelReply {
	return func(http.ResponseWriter, *http.Request, <-chan struct{}) { panic(http.ErrAbortHandler) }
}
