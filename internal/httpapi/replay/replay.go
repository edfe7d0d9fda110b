// Package replay lets a POST with an Idempotency-Key be sent again: it is carried out once, and its answer is sent
// again. Refusals are not kept, so that a corrected request may be sent with the same key.
package replay

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/idempotency"
	"dealflow/internal/postgres"
)

const (
	idempotencyHeader = "Idempotency-Key"
	replayedHeader    = "Idempotent-Replayed"
	maxKeyLength      = 255
)

// Handler answers a request, or returns the reason why it cannot.
type Handler func(c *gin.Context) error

// Recall answers a repeat of a request that was carried out but whose answer was lost. reference is what the first
// request stored with its key: see idempotency.Remember and idempotency.OnMade.
type Recall func(c *gin.Context, reference json.RawMessage) error

// Policy describes how repeats of a request are recognized and answered.
type Policy struct {
	// the body is too long to be read before something is stored: the fingerprint covers it only once the request was
	// answered
	Streamed bool
	Bodiless bool // the handler reads no body; the fingerprint covers one that is sent
	// answers a repeat if the process that carried out the request was lost; nil: the repeat is refused as
	// outcome_unknown
	Recall  Recall
	Secrets []string // members of data that are shown once, and never kept
}

// Route is a route whose requests may be sent again.
type Route struct {
	Policy

	Handle Handler
	Owner  func(*gin.Context) (uuid.UUID,
		error) // returns whose keys a request uses; with an error the request is refused
	Admits func(c *gin.Context, answer []byte) error // refuses a caller without the access that the first answer needed
}

// Replayer carries out a request with an Idempotency-Key once, and answers its repeats with the first answer. It is
// safe for concurrent use.
type Replayer struct {
	Store       *idempotency.Store
	Logger      *slog.Logger
	MaxJSONSize int64 // bytes of a body that the handler does not read
	MaxBodySize int64 // bytes of any body
}

// Once returns the handler of a route whose requests may be sent again. A request without an Idempotency-Key is passed
// to route.Handle. The error is InvalidQuery for a malformed key. It is Conflict if a request with the same key is
// being carried out, if the key was used for a different request, or if the answer of the first request was lost and
// cannot be built again. Other errors are those of the functions of route, and of reading the body.
func (r *Replayer) Once(route Route) Handler {
	return func(c *gin.Context) error {
		given, err := keyOf(c.Request)
		if err != nil {
			return err
		}
		if given == "" {
			return route.Handle(c)
		}
		owner, err := route.Owner(c)
		if err != nil {
			return err
		}
		attempt, first, err := r.Store.Begin(c.Request.Context(), owner, given)
		if err != nil {
			if fault.Is(err, fault.Conflict) {
				c.Header("Retry-After", "1")
			}
			return err
		}
		sent := newFingerprint(c.Request, route.Streamed)
		defer sent.close()
		if attempt == nil {
			return r.replay(c, route, first, sent)
		}
		return r.carryOut(c, attempt, sent, route, r.readBody(route, r.firstOrAgain(route, first, sent)))
	}
}

// keyOf returns the Idempotency-Key of a request, or "" if there is none. The error is InvalidQuery if the key was sent
// more than once, is empty, is longer than maxKeyLength, or has characters other than printable ASCII.
func keyOf(r *http.Request) (string, error) {
	given := r.Header.Values(idempotencyHeader)
	if len(given) == 0 {
		return "", nil
	}
	unprintable := strings.ContainsFunc(given[0], func(r rune) bool { return r < ' ' || r > '~' })
	if len(given) > 1 || given[0] == "" || len(given[0]) > maxKeyLength || unprintable {
		return "", fault.Query(idempotencyHeader, "must be sent once, with 1 to 255 printable ASCII characters")
	}
	return given[0], nil
}

// firstOrAgain returns the handler for a request that has taken its key. If no request with the key was committed, this
// is route.Handle. Otherwise a process was lost after the commit: the handler checks that the request is the same, and
// answers it by route.Recall, or with the Conflict outcome_unknown if the route has no Recall or no reference is
// stored.
func (r *Replayer) firstOrAgain(route Route, first idempotency.Key, sent *fingerprint) Handler {
	if first.State != idempotency.Committed {
		return route.Handle
	}
	return func(c *gin.Context) error {
		if err := r.sameRequest(c, first, sent); err != nil {
			return err
		}
		if route.Recall == nil || string(first.Reference) == "null" {
			return fault.New(fault.Conflict, "outcome_unknown", fault.Detail{
				Field: idempotencyHeader,
				Message: "the first request with this key was carried out and its answer was lost: look at what it made; " +
					"to do it once more, use another key",
			})
		}
		return route.Recall(c, first.Reference)
	}
}

// readBody returns do if the handler of the route reads the body. Otherwise it returns a handler that reads the body,
// of at most MaxJSONSize bytes, and then calls do, so that the fingerprint covers the body.
func (r *Replayer) readBody(route Route, do Handler) Handler {
	if !route.Bodiless {
		return do
	}
	return func(c *gin.Context) error {
		if _, err := io.Copy(io.Discard, http.MaxBytesReader(c.Writer, c.Request.Body, r.MaxJSONSize)); err != nil {
			return request.FormError(err)
		}
		return do(c)
	}
}

// carryOut calls do, and sends its answer after do has returned. It first stores an answer with a status below 300 for
// repeats; other answers and errors are not stored. If nothing was stored it releases the key, also after a panic. If
// it is not known whether do committed its transaction, the key is released in the background.
func (r *Replayer) carryOut(
	c *gin.Context, attempt *idempotency.Attempt, sent *fingerprint, route Route, do Handler,
) error {
	received, writer := c.Request, c.Writer
	held := &bufferedResponse{ResponseWriter: writer, status: http.StatusOK}
	kept, unclear := false, false
	defer func() { // also after a panic
		c.Writer = writer
		if kept {
			return
		}
		if unclear {
			attempt.ReleaseLater()
		} else if err := attempt.Release(); err != nil {
			r.Logger.WarnContext(received.Context(), "an idempotency key could not be released; it will be tried again",
				slog.Any("error", err))
		}
	}()
	c.Writer, c.Request = held, received.WithContext(attempt.Context(received.Context(), sent.early))
	err := do(c)
	c.Writer, c.Request = writer, received
	if err != nil {
		kept, unclear = attempt.Answered(), errors.Is(err, postgres.ErrOutcomeUnknown)
		return err
	}
	if held.status < http.StatusMultipleChoices {
		kept = attempt.Answered() || r.keep(c, attempt, held, sent, route.Secrets)
	}
	return held.send()
}

// keep stores the answer for repeats, with null in place of the members in secrets, and reports whether it could. It
// logs an error.
func (r *Replayer) keep(
	c *gin.Context, attempt *idempotency.Attempt, held *bufferedResponse, sent *fingerprint, secrets []string,
) bool {
	err := attempt.Keep(idempotency.Answer{
		Status: held.status, ContentType: held.Header().Get("Content-Type"),
		Body: WithoutSecrets(held.body.Bytes(), secrets),
	}, sent.sum())
	if err != nil { // the request was carried out, so its answer is sent in any case
		r.Logger.WarnContext(c.Request.Context(), "the answer for an idempotency key could not be stored",
			slog.Any("error", err))
	}
	return err == nil
}

// replay sends the first answer again, with the header Idempotent-Replayed. The error is Conflict if the request
// differs from the first one, that of reading the body, or that of route.Admits.
func (r *Replayer) replay(c *gin.Context, route Route, first idempotency.Key, sent *fingerprint) error {
	if err := r.sameRequest(c, first, sent); err != nil {
		return err
	}
	if err := route.Admits(c, first.Body); err != nil {
		return err
	}
	c.Header(replayedHeader, "true")
	c.Header("Content-Type", *first.ContentType)
	c.Data(*first.Status, *first.ContentType, first.Body)
	return nil
}

// sameRequest returns Conflict if the request differs from the first one with its key. It reads the rest of the body if
// matches needs it, and returns the error of request.Incomplete if the body cannot be read.
func (r *Replayer) sameRequest(c *gin.Context, first idempotency.Key, sent *fingerprint) error {
	same, err := sent.matches(c.Request.Body, first.Fingerprint, r.MaxBodySize)
	if err != nil {
		return request.Incomplete(err)
	}
	if !same {
		return fault.New(fault.Conflict, "idempotency_key_reused",
			fault.Detail{
				Field:   idempotencyHeader,
				Message: "was used for another request in the last 24 hours: use a new key for a new request",
			})
	}
	return nil
}

// WithoutSecrets returns the body of an answer with null in place of the named members of data. If secrets is empty, it
// returns body itself; if body is not the JSON of an answer, it returns nil.
func WithoutSecrets(body []byte, secrets []string) []byte {
	if len(secrets) == 0 {
		return body
	}
	var answer struct {
		Success  bool                       `json:"success"`
		Data     map[string]json.RawMessage `json:"data"`
		AuthType string                     `json:"authType,omitempty"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return nil // never: an answer with secrets is an object
	}
	for _, name := range secrets {
		if _, found := answer.Data[name]; found {
			answer.Data[name] = json.RawMessage("null")
		}
	}
	encoded, err := wire.Encode(answer)
	if err != nil {
		return nil // never: it was JSON before
	}
	return append(encoded, '\n')
}
