package agents

import (
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// inJSON returns a handler that answers as h does, except that it converts refusals in plain text to errors of
// JSON-RPC.
func inJSON(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(&refusal{ResponseWriter: w}, r)
	})
}

// refusal is an http.ResponseWriter that converts an answer in plain text with a status of 400 or more to an error of
// JSON-RPC without an id.
type refusal struct {
	http.ResponseWriter

	isText bool
}

// WriteHeader implements http.ResponseWriter.
func (r *refusal) WriteHeader(status int) {
	r.isText = status >= http.StatusBadRequest && strings.HasPrefix(r.Header().Get("Content-Type"), "text/plain")
	if r.isText {
		r.Header().Set("Content-Type", "application/json")
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. The library writes each text at once.
func (r *refusal) Write(p []byte) (int, error) {
	if !r.isText {
		return r.ResponseWriter.Write(p)
	}
	failure := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: strings.TrimSpace(string(p))}
	switch {
	case strings.HasPrefix(failure.Message, "JSON RPC not handled"):
		failure.Code = jsonrpc.CodeMethodNotFound
	case strings.HasPrefix(failure.Message, "malformed payload"):
		failure.Code = jsonrpc.CodeParseError
	}
	message, err := jsonrpc.EncodeMessage(&jsonrpc.Response{Error: failure})
	if err == nil {
		_, err = r.ResponseWriter.Write(message)
	}
	return len(p), err
}

// Unwrap returns the http.ResponseWriter to which it writes, for http.ResponseController.
func (r *refusal) Unwrap() http.ResponseWriter { return r.ResponseWriter }
