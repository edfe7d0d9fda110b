package request

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"dealflow/internal/fault"
)

// How much of a refused body is still read, and for how long. A client that sends the whole body before it reads the
// answer would otherwise see a reset connection instead of the refusal.
const (
	drainLimit = 128 << 20
	drainTime  = 5 * time.Second
)

// BodyLimits say how slowly a client may send a body. A body is refused with 408 if, after the first Grace, it arrives
// more slowly than Rate bytes a second on average, or if nothing arrives for Stall. Only time in which the server waits
// for the client counts. Zero values mean the defaults.
type BodyLimits struct {
	Grace time.Duration // 0: 10 s
	Stall time.Duration // 0: 30 s
	Rate  int64         // 0: 1024
}

func (l BodyLimits) orDefaults() BodyLimits {
	return BodyLimits{
		Grace: cmp.Or(l.Grace, 10*time.Second), Stall: cmp.Or(l.Stall, 30*time.Second), Rate: cmp.Or(l.Rate, 1<<10),
	}
}

// lastCall is how long a Read may still wait for a client after Stop. It is long enough for data that was already sent.
const lastCall = 200 * time.Millisecond

// Body is a request's body whose Read fails if it arrives too slowly. Only Stop may be called while another method
// runs.
type Body struct {
	io.ReadCloser

	limits  BodyLimits
	control *http.ResponseController
	count   int64
	waited  time.Duration
	failed  error
	read    bool // whether Read was called
	ended   bool

	mu      sync.Mutex
	reading bool
	stopped bool
}

// Read implements io.Reader. The error is TooSlow if the client was slower than the limits allow, and Unavailable if it
// sent nothing for lastCall after Stop was called. After an error other than io.EOF, Read returns the same error again.
func (b *Body) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	began := time.Now()
	b.read = true
	b.expectBy(began,
		min(b.limits.Stall, b.limits.Grace+time.Duration(b.count)*time.Second/time.Duration(b.limits.Rate)-b.waited))
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
		b.failed = fault.New(fault.Unavailable, "unavailable",
			fault.Detail{Field: "body", Message: "the service stops: send the request again"}).Because(err)
	default:
		b.failed = fault.New(fault.TooSlow, "request_timeout",
			fault.Detail{Field: "body", Message: "came too slowly: send it again, or less at once"}).Because(err)
	}
	return n, b.failed
}

// expectBy sets the deadline of a Read: patience after now, and at most lastCall after now if Stop was called. It
// ignores errors: on a connection without deadlines, as in some tests, Read waits for the client without a limit.
func (b *Body) expectBy(now time.Time, patience time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = true
	if b.stopped {
		patience = min(patience, lastCall)
	}
	_ = b.control.SetReadDeadline(now.Add(patience))
}

// arrived removes the deadline, which would otherwise end the request while its client waits for the answer, and
// reports whether the body was stopped.
func (b *Body) arrived() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = false
	_ = b.control.SetReadDeadline(time.Time{})
	return b.stopped
}

// Stop limits how long Read waits for the client to lastCall. This holds for a Read that is waiting now and for every
// later one; a Read that receives nothing in that time fails with Unavailable. Stop is safe to call while Read runs.
func (b *Body) Stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	if b.reading {
		_ = b.control.SetReadDeadline(time.Now().Add(lastCall))
	}
}

// WatchBody replaces the body of r by a Body, which applies the limits while it is read. It returns nil if r has no
// body. The caller must call End after the handler.
func WatchBody(w http.ResponseWriter, r *http.Request, limits BodyLimits) *Body {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	body := &Body{ReadCloser: r.Body, limits: limits.orDefaults(), control: http.NewResponseController(w)}
	r.Body = body
	return body
}

// End sets a deadline of drainTime for the rest of a body that was not read to its end: net/http reads it after the
// answer.
func (b *Body) End() {
	if !b.ended {
		_ = b.control.SetReadDeadline(time.Now().Add(drainTime))
	}
}

// Observe calls see with the bytes of each later read of a body that WatchBody watches. For any other body it does
// nothing.
func Observe(body io.Reader, see func([]byte)) {
	if b, watched := body.(*Body); watched {
		b.ReadCloser = &observedBody{ReadCloser: b.ReadCloser, see: see}
	}
}

// Ended reports whether a body that WatchBody watches was read to its end; false for another body.
func Ended(body io.Reader) bool {
	b, watched := body.(*Body)
	return watched && b.ended
}

// observedBody calls see with all that is read of a body.
type observedBody struct {
	io.ReadCloser

	see func([]byte)
}

// Read implements io.Reader.
func (b *observedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.see(p[:n])
	return n, err
}

// Drain reads and drops the rest of a body that WatchBody watches, up to drainLimit bytes and for up to drainTime, so
// that the client can read a refusal. If the rest is longer or slower, or reading failed before, Drain makes the server
// close the connection after the answer. It does nothing for any other body, for an empty one, and for a client that
// waits for "100 Continue" and has sent nothing.
func Drain(w http.ResponseWriter, r *http.Request) {
	body, watched := r.Body.(*Body)
	if !watched || r.ContentLength == 0 || (!body.read && r.Header.Get("Expect") != "") {
		return
	}
	if body.failed == nil {
		_ = body.control.SetReadDeadline(time.Now().Add(drainTime)) // without one the limit alone holds
		_, body.failed = io.CopyN(io.Discard, body.ReadCloser, drainLimit)
		_ = body.control.SetReadDeadline(time.Time{})
	}
	if body.ended = body.ended || errors.Is(body.failed, io.EOF); !body.ended {
		w.Header().Set("Connection", "close")
	}
}
