package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
)

// How much of a refused body is still read, and for how long: a client that sends all of it before it listens would else see a
// reset connection instead of the refusal.
const (
	drainLimit = 128 << 20
	drainTime  = 5 * time.Second
)

// watchedBody knows whether anything was read of it.
type watchedBody struct {
	io.ReadCloser

	read bool
}

// Read is part of io.Reader.
func (b *watchedBody) Read(p []byte) (int, error) {
	b.read = true
	return b.ReadCloser.Read(p)
}

// watchBody lets drain know whether the client was told to send its body.
func (a *API) watchBody(c *gin.Context) {
	if c.Request.Body != nil {
		c.Request.Body = &watchedBody{ReadCloser: c.Request.Body}
	}
}

// drain reads what is left of the body, within bounds. A client that waits for "100 Continue" has not sent it and need not.
func drain(c *gin.Context) {
	body, watched := c.Request.Body.(*watchedBody)
	if !watched || c.Request.ContentLength == 0 || (!body.read && c.GetHeader("Expect") != "") {
		return
	}
	control := http.NewResponseController(c.Writer)
	_ = control.SetReadDeadline(time.Now().Add(drainTime)) // without one the limit alone holds
	_, err := io.CopyN(io.Discard, body, drainLimit)
	_ = control.SetReadDeadline(time.Time{})
	if !errors.Is(err, io.EOF) {
		c.Header("Connection", "close")
	}
}

// mediaTypeOf gives the media type of the request's body in lower case; "" where none is told or it cannot be read.
func mediaTypeOf(r *http.Request) string {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return ""
	}
	return media
}

func unsupported(message string) error {
	return fault.New(fault.UnsupportedType, "unsupported_media_type", fault.Detail{Field: "Content-Type", Message: message})
}

// readJSON reads a body that says it is JSON, or says nothing.
func (a *API) readJSON(r *http.Request) ([]byte, error) {
	media := mediaTypeOf(r)
	if media != "application/json" && !strings.HasSuffix(media, "+json") && r.Header.Get("Content-Type") != "" {
		return nil, unsupported("must be application/json")
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, fault.New(fault.UnsupportedType, "unsupported_content_encoding",
			fault.Detail{Field: "Content-Encoding", Message: "must be identity: send the body uncompressed"})
	}
	raw, err := readAtMost(r.Body, a.MaxJSONSize)
	switch {
	case fault.Is(err, fault.TooLarge):
		return nil, fault.New(fault.TooLarge, "body_too_large", fault.Detail{Field: "body", Message: fmt.Sprintf("is larger than %d bytes", a.MaxJSONSize)})
	case err != nil:
		return nil, incomplete(err)
	}
	return raw, nil
}

// incomplete is the refusal of a body that ended too early, or could not be read.
func incomplete(cause error) error {
	return fault.New(fault.InvalidBody, "incomplete_body", fault.Detail{Field: "body", Message: "ended before it was complete"}).Because(cause)
}

// readAtMost reads all of r; TooLarge where that is more than limit bytes.
func readAtMost(r io.Reader, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(raw)) > limit {
		return nil, fault.New(fault.TooLarge, "too_large")
	}
	return raw, err
}
