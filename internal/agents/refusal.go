package agents

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// inJSON returns a handler that answers as h does, except that it converts refusals in plain text to errors of
// JSON-RPC. It keeps what h reads of a request's body in memory until h returns.
func inJSON(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &refusal{ResponseWriter: w}
		again := *r
		again.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, &answer.asked), r.Body}
		h.ServeHTTP(answer, &again)
	})
}

// refusal is an http.ResponseWriter that turns an answer with a status of 400 or more in plain text into an error of
// JSON-RPC. The error has the id of the request, unless no JSON-RPC request could be read from the body.
type refusal struct {
	http.ResponseWriter

	asked  bytes.Buffer // what was read of the request's body
	isText bool
}

// id returns the id of the JSON-RPC request in the part of the body that was read, or the zero ID if that is no such
// request.
func (r *refusal) id() jsonrpc.ID {
	message, _ := jsonrpc.DecodeMessage(r.asked.Bytes())
	if request, is := message.(*jsonrpc.Request); is {
		return request.ID
	}
	return jsonrpc.ID{}
}

// WriteHeader implements http.ResponseWriter.
func (r *refusal) WriteHeader(status int) {
	r.isText = status >= http.StatusBadRequest && strings.HasPrefix(r.Header().Get("Content-Type"), "text/plain")
	if r.isText {
		r.Header().Set("Content-Type", "application/json")
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. A refusal in plain text must be written in one call, as the library does, since
// each call writes an error of JSON-RPC.
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
	message, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: r.id(), Error: failure})
	if err == nil {
		_, err = r.ResponseWriter.Write(message)
	}
	return len(p), err
}

// Unwrap returns the http.ResponseWriter to which it writes, for http.ResponseController.
func (r *refusal) Unwrap() http.ResponseWriter { return r.ResponseWriter }
