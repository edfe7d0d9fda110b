package frame

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"dealflow/internal/fault"
)

// maxForm is the maximum size, in bytes, of a form that FormOf accepts.
const maxForm = 64 << 10

// FormOf parses the URL-encoded form in the body of a request. The error is UnsupportedType for a body of another type,
// such as multipart/form-data; TooLarge for more than maxForm bytes; or InvalidBody for a form that cannot be read.
func FormOf(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		media != "application/x-www-form-urlencoded" {
		return nil, fault.New(fault.UnsupportedType, "unsupported_media_type")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		if _, isLong := errors.AsType[*http.MaxBytesError](err); isLong {
			return nil, fault.New(fault.TooLarge, "too_large").Because(err)
		}
		return nil, fault.New(fault.InvalidBody, "invalid_form").Because(err)
	}
	return r.PostForm, nil
}

// Redirect redirects the browser to an address of this service with the status 303. It always returns nil.
func Redirect(w http.ResponseWriter, r *http.Request, to string) error {
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// Given returns the first value of a form under name, or nil if it is empty or missing.
func Given(form url.Values, name string) *string {
	if form.Get(name) == "" {
		return nil
	}
	return new(form.Get(name))
}

// DayEnd returns the last second, in UTC, of the day in a form under name, or nil if the value is empty or missing. The
// error is InvalidBody if the value is not a day.
func DayEnd(form url.Values, name string) (*time.Time, error) {
	if form.Get(name) == "" {
		return nil, nil //nolint:nilnil // nil means none
	}
	day, err := time.Parse(time.DateOnly, form.Get(name))
	if err != nil {
		return nil, fault.Field(name, "must be a day such as 2026-12-31")
	}
	return new(day.AddDate(0, 0, 1).Add(-time.Second)), nil
}

// Choice is an option of a menu.
type Choice struct{ Value, Label string }

// PathID returns the id in a segment of the path. The error is NotFound if the segment is not an id.
func PathID(r *http.Request, name string) (uuid.UUID, error) {
	id, err := uuid.Parse(r.PathValue(name))
	if err != nil {
		return uuid.Nil, NotFound()
	}
	return id, nil
}

// NotFound returns the fault.NotFound for a page that does not exist, or that this visitor may not see.
func NotFound() error { return fault.New(fault.NotFound, "unknown_path") }

// Sentence returns the text of an error for people, and reports whether they can correct the form and send it again
// (mendable). mendable is true for Unauthenticated, which is always taken for a wrong password, and for InvalidBody,
// InvalidQuery and Conflict with details. For other errors and for nil it is false, and the text must not be shown.
func Sentence(err error) (wrong string, mendable bool) {
	switch fault.KindOf(err) {
	case fault.Unauthenticated:
		return "That is not your password.", true
	case fault.InvalidBody, fault.InvalidQuery, fault.Conflict:
	case fault.Internal, fault.Forbidden, fault.NotFound, fault.NotAllowed, fault.TooSlow, fault.Gone, fault.Changed,
		fault.TooLarge, fault.UnsupportedType, fault.RateLimited, fault.Unavailable:
		return "", false
	}
	refusal, found := errors.AsType[*fault.Error](err)
	return Capitalized(details(err)), found && len(refusal.Details) > 0
}

// Capitalized returns a text with its first letter as a capital.
func Capitalized(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// details returns the details of a fault as sentences, or a general sentence if err has none.
func details(err error) string {
	refusal, found := errors.AsType[*fault.Error](err)
	if !found || len(refusal.Details) == 0 {
		return "The browser sent something that this page does not understand. Please go back and try again."
	}
	var sentences []string
	for _, detail := range refusal.Details {
		sentences = append(sentences, strings.ReplaceAll(detail.Field, "_", " ")+" "+detail.Message+".")
	}
	return strings.Join(sentences, " ")
}
