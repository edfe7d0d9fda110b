package httpapi

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
)

// handler answers a request or says why it cannot; handle turns what it says into a response.
type handler func(*gin.Context) error

// success is the envelope of an answer. Pagination is that of a list which is data itself. AuthType tells how the
// caller was authenticated.
type success struct {
	Success    bool   `json:"success"`
	Data       any    `json:"data"`
	Pagination any    `json:"pagination,omitempty"`
	AuthType   string `json:"authType,omitempty"`
}

// failure is the envelope of a refusal. Data is always null.
type failure struct {
	Success bool     `json:"success"`
	Error   string   `json:"error"`
	Data    any      `json:"data"`
	Code    string   `json:"code"`
	Details []detail `json:"details"`
}

type detail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

const jsonMediaType = "application/json"

// statusGone is what the access log says of a request whose client left before the answer; nobody reads it.
const statusGone = 499

// retryAfter is when a client may ask again that was refused with 503, in seconds, where the handler knows nothing
// better.
const retryAfter = "2"

// isHangUp reports whether an error comes of the request's context, which ends when the client has gone; it ends too
// when the reading of the body was ended by a deadline of ours, and then the client waits for an answer.
func isHangUp(c *gin.Context, err error, kind fault.Kind) bool {
	return c.Request.Context().Err() != nil && (kind == fault.Internal || kind == fault.Unavailable) &&
		!errors.Is(err, os.ErrDeadlineExceeded)
}

func (a *API) handle(h handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := h(c); err != nil {
			a.failProven(c, err)
		}
	}
}

// ok answers 200 with data in the envelope.
func (a *API) ok(c *gin.Context, data any) error { return a.answer(c, http.StatusOK, data) }

func (a *API) answer(c *gin.Context, status int, data any) error {
	return writeJSON(c, status, a.envelope(c, data))
}

func (a *API) envelope(c *gin.Context, data any) success {
	body := success{Success: true, Data: data}
	if caller, known := callerOf(c); known {
		body.AuthType = "api_key"
		if caller.SessionID != uuid.Nil {
			body.AuthType = "session"
		}
	}
	return body
}

// fail is the only place where an error becomes a response. The cause goes to the log, never to the client.
func (a *API) fail(c *gin.Context, err error) {
	_ = c.Error(err)
	c.Abort()
	if c.Writer.Written() { // half an answer is out: it cannot be taken back
		return
	}
	a.noteOutage(err)
	kind := kindOf(err)
	if isHangUp(c, err, kind) {
		c.Status(statusGone)
		return
	}
	if kind == fault.Unavailable && c.Writer.Header().Get("Retry-After") == "" {
		c.Header("Retry-After", retryAfter)
	}
	status, message := statusOf(kind)
	if a.endpointOf(c).access == visitors {
		request.Drain(c.Writer, c.Request)
		a.Pages.Refuse(c.Writer, c.Request, status, err)
		return
	}
	if isForPeople(c) {
		a.failPage(c, err)
		return
	}
	body := failure{Error: message, Code: codeOf(err, kind), Details: detailsOf(err)}
	request.Drain(c.Writer, c.Request)
	if failed := writeJSON(c, status, body); failed != nil {
		a.Logger.WarnContext(c.Request.Context(), "the refusal could not be sent", slog.Any("error", failed))
	}
}

// noteOutage lets the state of the database know of an error that it caused.
func (a *API) noteOutage(err error) {
	if postgres.IsUnreachable(err) {
		a.Database.Failed(err)
	}
}

// kindOf is fault.KindOf, and Unavailable where the database or the storage cannot be reached.
func kindOf(err error) fault.Kind {
	kind := fault.KindOf(err)
	if kind == fault.Internal && postgres.IsUnreachable(err) {
		return fault.Unavailable
	}
	return kind
}

// statusOf is the specification's table of errors.
func statusOf(kind fault.Kind) (int, string) {
	switch kind {
	case fault.InvalidBody:
		return http.StatusBadRequest, "Invalid request body"
	case fault.InvalidQuery:
		return http.StatusBadRequest, "Invalid request parameters"
	case fault.Unauthenticated:
		return http.StatusUnauthorized, "Invalid or expired API key"
	case fault.Forbidden:
		return http.StatusForbidden, "Access denied to this resource"
	case fault.NotFound:
		return http.StatusNotFound, "Resource not found"
	case fault.NotAllowed:
		return http.StatusMethodNotAllowed, "Method not allowed"
	case fault.TooSlow:
		return http.StatusRequestTimeout, "Request timeout"
	case fault.Conflict:
		return http.StatusConflict, "Conflict"
	case fault.Gone:
		return http.StatusGone, "Gone"
	case fault.Changed:
		return http.StatusPreconditionFailed, "Precondition failed"
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge, "Request too large"
	case fault.UnsupportedType:
		return http.StatusUnsupportedMediaType, "Unsupported media type"
	case fault.RateLimited:
		return http.StatusTooManyRequests, "Rate limit exceeded"
	case fault.Unavailable:
		return http.StatusServiceUnavailable, "Service unavailable"
	case fault.Internal:
	}
	return http.StatusInternalServerError, "Internal server error"
}

func codeOf(err error, kind fault.Kind) string {
	if f, found := errors.AsType[*fault.Error](err); found {
		return f.Code
	}
	switch {
	case errors.Is(err, postgres.ErrOutcomeUnknown):
		return "outcome_unknown"
	case kind == fault.Unavailable:
		return "unavailable"
	}
	return "internal_error"
}

func detailsOf(err error) []detail {
	details := []detail{}
	if f, found := errors.AsType[*fault.Error](err); found {
		for _, d := range f.Details {
			details = append(details, detail(d))
		}
	}
	return details
}

// writeJSON sends a body that is encoded whole first, so that what cannot be encoded is a clean error.
func writeJSON(c *gin.Context, status int, body any) error {
	encoded, err := wire.Encode(body)
	if err != nil {
		return err
	}
	c.Header("Content-Type", jsonMediaType) // gin would keep one that a handler set before it failed
	c.Data(status, jsonMediaType, append(encoded, '\n'))
	return nil
}

// ConnectionRefusal returns the whole HTTP response to one connection too many, whatever it was to ask.
func ConnectionRefusal() []byte {
	body, err := wire.Encode(failure{Error: "Service unavailable", Code: "overloaded", Details: []detail{}})
	if err != nil {
		body = nil // never: it holds texts alone
	}
	return fmt.Appendf(nil,
		"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: %s\r\nConnection: "+
			"close\r\nContent-Length: %d\r\n\r\n%s",
		retryAfter, len(body), body)
}
