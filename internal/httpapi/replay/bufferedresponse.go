package replay

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
)

// bufferedResponse keeps the status and the body of an answer until send is called. Headers are set on the response
// itself, since nothing is sent before that.
type bufferedResponse struct {
	gin.ResponseWriter

	status  int
	body    bytes.Buffer
	written bool
}

// WriteHeader implements http.ResponseWriter.
func (h *bufferedResponse) WriteHeader(status int) { h.status = status }

// WriteHeaderNow implements gin.ResponseWriter. It sends nothing.
func (h *bufferedResponse) WriteHeaderNow() { h.written = true }

// Write implements io.Writer.
func (h *bufferedResponse) Write(p []byte) (int, error) {
	h.written = true
	return h.body.Write(p)
}

// WriteString implements io.StringWriter.
func (h *bufferedResponse) WriteString(text string) (int, error) {
	h.written = true
	return h.body.WriteString(text)
}

// Status implements gin.ResponseWriter.
func (h *bufferedResponse) Status() int { return h.status }

// Size implements gin.ResponseWriter.
func (h *bufferedResponse) Size() int { return h.body.Len() }

// Written implements gin.ResponseWriter.
func (h *bufferedResponse) Written() bool { return h.written }

// Flush implements http.Flusher. It does nothing, since the answer is only sent by send.
func (h *bufferedResponse) Flush() {}

// Unwrap returns the response itself, so that http.ResponseController can set deadlines for a long body.
func (h *bufferedResponse) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// send sends the answer that was kept. It must be called at most once.
func (h *bufferedResponse) send() error {
	h.ResponseWriter.WriteHeader(h.status)
	if _, err := h.ResponseWriter.Write(h.body.Bytes()); err != nil {
		return fmt.Errorf("send the answer: %w", err)
	}
	return nil
}
