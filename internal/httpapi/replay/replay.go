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

// Handler answers a request or says why it cannot.
type Handler func(c *gin.Context) error

// Recall answers a request that was carried out before but whose answer was lost. The reference is what
// idempotency.Remember was called with.
type Recall func(c *gin.Context, reference json.RawMessage) error

// Policy says how a request is answered that is sent again.
type Policy struct {
	// the body is too long to be read before something is stored: it is in the fingerprint only once the request was
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
	Owner  func(*gin.Context) (uuid.UUID, error)     // whose keys a request uses; an error refuses it
	Admits func(c *gin.Context, answer []byte) error // refuses a caller without the access that the first answer needed
}

// Replayer carries out each request with an Idempotency-Key once, and repeats its answer.
type Replayer struct {
	Store       *idempotency.Store
	Logger      *slog.Logger
	MaxJSONSize int64 // bytes of a body that the handler does not read
	MaxBodySize int64 // bytes of any body
}

// Once returns the handler of a route whose requests may be sent again. A request without an Idempotency-Key is handled
// as on any other route. The error is Conflict while a request with the same key is being carried out, if the key was
// used for a request that differs, or if nobody knows how the first request ended.
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

// keyOf returns the request's Idempotency-Key; "" without one. The error is InvalidQuery for a key that is malformed,
// or was sent twice.
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

// firstOrAgain returns the handler for a request that has taken its key. It carries the request out, or, if a process
// that died has already done so, only answers for it.
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

// readBody returns do. If the handler of the route reads no body, it returns a handler that reads all of the body and
// then runs do, so that the fingerprint covers the body.
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

// carryOut runs do. It keeps an answer with a status below 300 for repeats, before it sends the answer. If no answer
// was kept, it releases the key; if nobody knows whether do committed its transaction, the key is released later.
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
			r.Logger.WarnContext(received.Context(), "an idempotency key could not be released; it will be",
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

// keep keeps the answer for repeats, and reports whether that worked.
func (r *Replayer) keep(
	c *gin.Context, attempt *idempotency.Attempt, held *bufferedResponse, sent *fingerprint, secrets []string,
) bool {
	err := attempt.Keep(idempotency.Answer{
		Status: held.status, ContentType: held.Header().Get("Content-Type"),
		Body: WithoutSecrets(held.body.Bytes(), secrets),
	}, sent.sum())
	if err != nil { // the request was carried out, so its answer is sent in any case
		r.Logger.WarnContext(c.Request.Context(), "the answer of an idempotency key could not be kept",
			slog.Any("error", err))
	}
	return err == nil
}

// replay sends the first answer again, if the request is the same and the caller still has the access that it needed.
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

// sameRequest reads the body, and refuses a request that differs from the first one with its key.
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

// WithoutSecrets returns the body of an answer, with null in place of the members of its data that secrets names.
// Without secrets it returns body itself.
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
