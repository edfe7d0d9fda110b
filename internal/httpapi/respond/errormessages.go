package respond

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/outage"
	"dealflow/internal/postgres"
)

// failure is the envelope of a refusal. Data is always null.
type failure struct {
	Success bool     `json:"success"`
	Error   string   `json:"error"`
	Data    any      `json:"data"`
	Code    string   `json:"code"`
	Details []detail `json:"details"`

	MergedInto string `json:"merged_into,omitempty"` // of a company that was merged: the one that survives
}

type detail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// RetryAfter is the value of the Retry-After header of a 503, in seconds, unless the handler sets another.
const RetryAfter = "2"

// Failure answers with the envelope of an error. It first reads the rest of the body within the limits of
// request.Drain. The answer does not show the cause of the error.
func Failure(c *gin.Context, err error) error {
	status, message := StatusOf(KindOf(err))
	request.Drain(c.Writer, c.Request)
	answer := failure{Error: message, Code: CodeOf(err), MergedInto: fault.SuccessorOf(err)}
	return refuse(c, status, answer, detailsOf(err))
}

// Refuse answers with the envelope of a refusal. Unlike Failure, it does not read the rest of the body.
func Refuse(c *gin.Context, status int, message, code string, details ...fault.Detail) error {
	return refuse(c, status, failure{Error: message, Code: code}, details)
}

func refuse(c *gin.Context, status int, body failure, details []fault.Detail) error {
	body.Details = make([]detail, len(details))
	for i, d := range details {
		body.Details[i] = detail(d)
	}
	return JSON(c, status, body)
}

// Note prepares a page that shows err. It adds err to the log line of the request, reports it to database if it says
// that the database cannot be reached, and reads the rest of the body within the limits of request.Drain. It returns
// the HTTP status of err.
func Note(c *gin.Context, database *outage.Server, err error) int {
	_ = c.Error(err)
	NoteOutage(database, err)
	request.Drain(c.Writer, c.Request) // a browser that still sends a file would not read why it was refused
	status, _ := StatusOf(KindOf(err))
	return status
}

// NoteOutage reports err to database if err says that the database cannot be reached.
func NoteOutage(database *outage.Server, err error) {
	if postgres.IsUnreachable(err) {
		database.Failed(err)
	}
}

// KindOf returns the kind of err. It is fault.Unavailable for an error that is not a fault but says that a server
// cannot be reached (see postgres.IsUnreachable), or that the request met another one and should be sent again (see
// postgres.IsContention and postgres.IsOutOfSight). It is fault.KindOf(err) for any other.
func KindOf(err error) fault.Kind {
	kind := fault.KindOf(err)
	met := postgres.IsContention(err) || postgres.IsOutOfSight(err)
	if kind == fault.Internal && (met || postgres.IsUnreachable(err)) {
		return fault.Unavailable
	}
	return kind
}

// StatusOf returns the HTTP status and the message of a kind of error, as in the specification's table; 500 for a kind
// that is not in it.
func StatusOf(kind fault.Kind) (int, string) {
	row, known := map[fault.Kind]struct {
		status  int
		message string
	}{
		fault.InvalidBody:     {http.StatusBadRequest, "Invalid request body"},
		fault.InvalidQuery:    {http.StatusBadRequest, "Invalid request parameters"},
		fault.Unauthenticated: {http.StatusUnauthorized, "Invalid or expired API key"},
		fault.Forbidden:       {http.StatusForbidden, "Access denied to this resource"},
		fault.NotFound:        {http.StatusNotFound, "Resource not found"},
		fault.NotAllowed:      {http.StatusMethodNotAllowed, "Method not allowed"},
		fault.TooSlow:         {http.StatusRequestTimeout, "Request timeout"},
		fault.Conflict:        {http.StatusConflict, "Conflict"},
		fault.Gone:            {http.StatusGone, "Gone"},
		fault.Changed:         {http.StatusPreconditionFailed, "Precondition failed"},
		fault.TooLarge:        {http.StatusRequestEntityTooLarge, "Request too large"},
		fault.UnsupportedType: {http.StatusUnsupportedMediaType, "Unsupported media type"},
		fault.RateLimited:     {http.StatusTooManyRequests, "Rate limit exceeded"},
		fault.Unavailable:     {http.StatusServiceUnavailable, "Service unavailable"},
	}[kind]
	if !known {
		return http.StatusInternalServerError, "Internal server error"
	}
	return row.status, row.message
}

// CodeOf returns the code by which programs distinguish errors of the same status: the code of a fault,
// "outcome_unknown", "unavailable" or, for any other error, "internal_error".
func CodeOf(err error) string {
	if f, found := errors.AsType[*fault.Error](err); found {
		return f.Code
	}
	switch {
	case errors.Is(err, postgres.ErrOutcomeUnknown):
		return "outcome_unknown"
	case KindOf(err) == fault.Unavailable:
		return "unavailable"
	}
	return "internal_error"
}

func detailsOf(err error) []fault.Detail {
	if f, found := errors.AsType[*fault.Error](err); found {
		return f.Details
	}
	return nil
}

// ConnectionRefusal returns the bytes of the HTTP response to a connection that is over the limit, whatever it
// requests.
func ConnectionRefusal() []byte {
	body, err := wire.Encode(failure{Error: "Service unavailable", Code: "overloaded", Details: []detail{}})
	if err != nil {
		body = nil // never: it holds texts alone
	}
	return fmt.Appendf(nil,
		"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: %s\r\nConnection: "+
			"close\r\nContent-Length: %d\r\n\r\n%s",
		RetryAfter, len(body), body)
}
