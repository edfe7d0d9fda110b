// Package fault has the few kinds of error that this service's clients can distinguish. It depends on neither HTTP nor
// SQL: httpapi maps a Kind to a status and a message; other packages only create and wrap faults.
package fault

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Kind is what sort of error a client gets. The zero Kind, Internal, is the kind of every error that is not an *Error.
type Kind int

// The kinds, each with its HTTP status in httpapi.
const (
	Internal        Kind = iota // 500
	InvalidBody                 // 400, "Invalid request body"
	InvalidQuery                // 400, "Invalid request parameters"
	Unauthenticated             // 401
	Forbidden                   // 403
	NotFound                    // 404
	NotAllowed                  // 405
	TooSlow                     // 408
	Conflict                    // 409
	Gone                        // 410
	Changed                     // 412
	TooLarge                    // 413
	UnsupportedType             // 415
	RateLimited                 // 429
	Unavailable                 // 503
)

// Detail says what is wrong with one field of a request.
type Detail struct {
	Field   string
	Message string
}

// Error is a refusal that may be shown to a client: a kind, a stable code in snake_case, and details that say what is
// wrong with which field. Cause, which may be nil, is for the log and never shown to the client.
type Error struct {
	Kind    Kind
	Code    string
	Details []Detail
	Cause   error

	Successor string // the id of what has replaced the thing; "" for none
}

// Error returns the code, the details and the cause in one line, for logs.
func (e *Error) Error() string {
	parts := []string{e.Code}
	for _, d := range e.Details {
		parts = append(parts, d.Field+": "+d.Message)
	}
	text := strings.Join(parts, "; ")
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.Cause }

// New returns a refusal of the given kind. The code is in snake_case, and clients may depend on it; details are
// optional.
func New(kind Kind, code string, details ...Detail) *Error {
	return &Error{Kind: kind, Code: code, Details: details}
}

// Note appends a message about a field to the details and returns them. It returns them unchanged if they name the
// field already.
func Note(details []Detail, field, message string) []Detail {
	if slices.ContainsFunc(details, func(d Detail) bool { return d.Field == field }) {
		return details
	}
	return append(details, Detail{Field: field, Message: message})
}

// Field returns the refusal of one field of a request body (400). The message is read after the name of the field, as
// in "must not be empty".
func Field(field, message string) *Error {
	return New(InvalidBody, "invalid_field", Detail{Field: field, Message: message})
}

// All returns one refusal of the kind InvalidBody with the details of all errors, so that a client learns every wrong
// field at once. Codes and causes are dropped. If one of the errors is of another kind, All returns the first such
// error. It returns nil if no error has a detail.
func All(errs ...error) error {
	var details []Detail
	for _, err := range errs {
		refusal, found := errors.AsType[*Error](err)
		switch {
		case err == nil:
		case !found || refusal.Kind != InvalidBody:
			return err
		default:
			details = append(details, refusal.Details...)
		}
	}
	if len(details) == 0 {
		return nil
	}
	return New(InvalidBody, "invalid_field", details...)
}

// JSON returns the refusal (InvalidBody, 400) of a request body that is not the JSON object that is required. err is
// the error that encoding/json returned.
func JSON(err error) *Error {
	wrong, found := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !found:
		return Field("body", "is not valid JSON: "+err.Error())
	case wrong.Field == "":
		return Field("body", "must be a JSON object, not a JSON "+wrong.Value)
	}
	return Field(wrong.Field, "must not be a JSON "+wrong.Value)
}

// Query returns the refusal of one query parameter (400). The message is read after the name of the parameter, as in
// "must be a number".
func Query(parameter, message string) *Error {
	return New(InvalidQuery, "invalid_parameter", Detail{Field: parameter, Message: message})
}

// NewNotFound returns the refusal for a thing that does not exist, or whose existence the caller may not know (404).
func NewNotFound() *Error { return New(NotFound, "not_found") }

// NewForbidden returns the refusal for a thing that exists but that the caller may not access (403).
func NewForbidden() *Error { return New(Forbidden, "access_denied") }

// NewSuperseded returns the refusal for a thing that another has replaced, if the caller may know that (410). successor
// is the id of the other.
func NewSuperseded(code, successor string) *Error {
	return &Error{Kind: Gone, Code: code, Successor: successor}
}

// SuccessorOf returns the Successor of the *Error that err is or wraps; "" if it has none, or if err is no such error.
func SuccessorOf(err error) string {
	if f, ok := errors.AsType[*Error](err); ok {
		return f.Successor
	}
	return ""
}

// Because sets the cause, which is for the log, and returns e.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// KindOf returns the kind of err, also of one that is wrapped; Internal for any error that is not an *Error, and for
// nil.
func KindOf(err error) Kind {
	if f, ok := errors.AsType[*Error](err); ok {
		return f.Kind
	}
	return Internal
}

// Is reports whether err is of this kind, also if it is wrapped. Any error that is not an *Error is Internal; nil is of
// no kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }
