package client

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error is the error of a request that the service refused.
type Error struct {
	Status     int           `json:"-"`
	Message    string        `json:"error"`       // the service's message for the status
	Code       string        `json:"code"`        // a stable word for programs
	Details    []Detail      `json:"details"`     // what is wrong with which field
	MergedInto string        `json:"merged_into"` // the id of the surviving company, if the company was merged
	RequestID  string        `json:"-"`           // with which the request is found in the service's logs
	RetryAfter time.Duration `json:"-"`           // of the header Retry-After; 0 without one
}

// Detail says what is wrong with one field, parameter or header. Field is its name, or "body" if the mistake is not in
// a single one.
type Detail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error returns the status, the message and the details in one line.
func (e *Error) Error() string {
	text := fmt.Sprintf("the API refused (%d): %s", e.Status, e.Message)
	details := make([]string, len(e.Details))
	for i, d := range e.Details {
		details[i] = d.Field + ": " + d.Message
	}
	if len(details) > 0 {
		text += ": " + strings.Join(details, "; ")
	}
	return text
}

// HasCode reports whether an error is, or wraps, an *Error with this code.
func HasCode(err error, code string) bool {
	refused, is := errors.AsType[*Error](err)
	return is && refused.Code == code
}

// complete sets Status, RequestID and RetryAfter from a response, and returns e.
func (e *Error) complete(response *http.Response) *Error {
	e.Status, e.RequestID = response.StatusCode, response.Header.Get("X-Request-Id")
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}
