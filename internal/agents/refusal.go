package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// mostInBatch is the largest number of messages in a batch. The rate limits count a batch as one request, and the
// answer to a message may be a thousand times as long as the message.
const mostInBatch = 20

var errLongBatch = fmt.Errorf("a batch has more than %d messages", mostInBatch)

// inJSON returns a handler that answers as h does, except that it converts refusals in plain text to errors of
// JSON-RPC, and refuses a batch of more than mostInBatch messages. It keeps what h reads of a request's body in memory
// until the body has ended or h returns.
func inJSON(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &refusal{ResponseWriter: w}
		again := *r
		again.Body = asking{r.Body, answer}
		h.ServeHTTP(answer, &again)
	})
}

// refusal is an http.ResponseWriter that turns an answer with a status of 400 or more in plain text into an error of
// JSON-RPC. The error has the id of the request, unless the body was not read to its end or is no JSON-RPC request.
type refusal struct {
	http.ResponseWriter

	asked       []byte     // what was read of the request's body, until it has ended
	id          jsonrpc.ID // of the request, once its body has ended; the zero ID if that is no JSON-RPC request
	isText      bool
	isLongBatch bool
}

// asking is the body of a request. Once it has ended, it passes the id of the request to answer, and does not keep what
// was read: a tool may run for long.
type asking struct {
	io.ReadCloser

	answer *refusal
}

// Read implements io.Reader. At the end of a batch of more than mostInBatch messages it returns errLongBatch.
func (a asking) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	a.answer.asked = append(a.answer.asked, p[:n]...)
	if errors.Is(err, io.EOF) {
		message, _ := jsonrpc.DecodeMessage(a.answer.asked)
		if request, is := message.(*jsonrpc.Request); is {
			a.answer.id = request.ID
		}
		if isLongBatch(a.answer.asked) {
			a.answer.isLongBatch, err = true, errLongBatch
		}
		a.answer.asked = nil
	}
	return n, err
}

// isLongBatch reports whether a body is a batch with too many messages. Like the library that reads it after that, it
// ignores what is behind the batch.
func isLongBatch(body []byte) bool {
	var batch []json.RawMessage
	return json.NewDecoder(bytes.NewReader(body)).Decode(&batch) == nil && len(batch) > mostInBatch
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
	case r.isLongBatch:
		failure.Message = errLongBatch.Error()
	case strings.HasPrefix(failure.Message, "JSON RPC not handled"):
		failure.Code = jsonrpc.CodeMethodNotFound
	case strings.HasPrefix(failure.Message, "malformed payload"):
		failure.Code = jsonrpc.CodeParseError
	}
	message, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: r.id, Error: failure})
	if err == nil {
		_, err = r.ResponseWriter.Write(message)
	}
	return len(p), err
}

// Unwrap returns the http.ResponseWriter to which it writes, for http.ResponseController.
func (r *refusal) Unwrap() http.ResponseWriter { return r.ResponseWriter }
