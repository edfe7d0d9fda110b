package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
)

// How much of a refused body is still read, and for how long: a client that sends all of it before it listens would
// else see a reset connection instead of the refusal.
const (
	drainLimit = 128 << 20
	drainTime  = 5 * time.Second
)

// BodyLimits say how slowly a client may send. A body that comes more slowly than Rate bytes in a second on average,
// Grace aside, or stands still for Stall, is refused with 408. Only time in which the server waits for the client
// counts. Zero values take defaults.
type BodyLimits struct {
	Grace time.Duration // 10 s
	Stall time.Duration // 30 s
	Rate  int64         // 1024
}

func (l BodyLimits) orDefaults() BodyLimits {
	return BodyLimits{
		Grace: cmp.Or(l.Grace, 10*time.Second), Stall: cmp.Or(l.Stall, 30*time.Second), Rate: cmp.Or(l.Rate, 1<<10),
	}
}

// lastCall is how long a client may still take once its body was stopped: long enough for one that is sending.
const lastCall = 200 * time.Millisecond

// watchedBody knows how a body came so far, and ends the reading of one that comes too slowly.
type watchedBody struct {
	io.ReadCloser

	limits  BodyLimits
	control *http.ResponseController
	count   int64
	waited  time.Duration
	failed  error
	read    bool // whether anything was
	ended   bool

	mu      sync.Mutex
	reading bool
	stopped bool
}

// Read is part of io.Reader. TooSlow where the client did not keep to the limits, Unavailable where the process is to
// stop.
func (b *watchedBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	began := time.Now()
	b.read = true
	b.expectBy(began, min(b.limits.Stall, b.limits.Grace+time.Duration(b.count)*time.Second/time.Duration(b.limits.Rate)-b.waited))
	n, err := b.ReadCloser.Read(p)
	stopped := b.arrived()
	b.count += int64(n)
	b.waited += time.Since(began)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		b.ended = true
		return n, err
	case !errors.Is(err, os.ErrDeadlineExceeded):
		b.failed = err
	case stopped:
		b.failed = fault.New(fault.Unavailable, "unavailable", fault.Detail{Field: "body", Message: "the service stops: send the request again"}).Because(err)
	default:
		b.failed = fault.New(fault.TooSlow, "request_timeout", fault.Detail{Field: "body", Message: "came too slowly"}).Because(err)
	}
	return n, b.failed
}

// expectBy sets the deadline of a Read. Where the connection has none, as in a test without one, clients are waited
// for.
func (b *watchedBody) expectBy(now time.Time, patience time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = true
	if b.stopped {
		patience = min(patience, lastCall)
	}
	_ = b.control.SetReadDeadline(now.Add(patience))
}

// arrived takes the deadline away, which would else end the request while its client waits for the answer, and
// reports whether the body was stopped.
func (b *watchedBody) arrived() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = false
	_ = b.control.SetReadDeadline(time.Time{})
	return b.stopped
}

// stop ends a Read that waits for the client, and those to come. It is safe to call while one runs.
func (b *watchedBody) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	if b.reading {
		_ = b.control.SetReadDeadline(time.Now().Add(lastCall))
	}
}

// watchBody holds clients to the limits of bodies, while the handler reads and after that: the server itself reads
// what a handler left.
func (a *API) watchBody(c *gin.Context) {
	if c.Request.Body == nil || c.Request.Body == http.NoBody {
		return
	}
	body := &watchedBody{ReadCloser: c.Request.Body, limits: a.bodies, control: http.NewResponseController(c.Writer)}
	c.Request.Body = body
	defer context.AfterFunc(a.CutOff, body.stop)()
	c.Next()
	if !body.ended {
		_ = body.control.SetReadDeadline(time.Now().Add(drainTime))
	}
}

// drain reads what is left of the body, within bounds. A client that waits for "100 Continue" has not sent it and
// need not.
func drain(c *gin.Context) {
	body, watched := c.Request.Body.(*watchedBody)
	if !watched || c.Request.ContentLength == 0 || (!body.read && c.GetHeader("Expect") != "") {
		return
	}
	if body.failed == nil {
		_ = body.control.SetReadDeadline(time.Now().Add(drainTime)) // without one the limit alone holds
		_, body.failed = io.CopyN(io.Discard, body.ReadCloser, drainLimit)
		_ = body.control.SetReadDeadline(time.Time{})
	}
	if body.ended = body.ended || errors.Is(body.failed, io.EOF); !body.ended {
		c.Header("Connection", "close")
	}
}

// mediaTypeOf returns the media type of the request's body in lower case; "" where none is told or it cannot be read.
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

// incomplete is the refusal of a body that ended too early, or could not be read; a fault stays what it is.
func incomplete(cause error) error {
	if fault.KindOf(cause) != fault.Internal {
		return cause
	}
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
