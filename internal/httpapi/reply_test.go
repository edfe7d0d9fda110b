package httpapi_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// reply is the answer to a request.
type reply struct {
	t      *testing.T
	Status int
	Header http.Header
	Raw    []byte
	Body   any  // decoded JSON; nil if it is none
	Closes bool // the client must not use the connection again
}

// want fails the test where the status is another.
func (r reply) want(status int) reply {
	r.t.Helper()
	if r.Status != status {
		r.t.Fatalf("status %d, want %d: %s", r.Status, status, r.Raw)
	}
	return r
}

// refused fails the test unless this is the refusal with this status, message and code, which names this field (""
// for any).
func (r reply) refused(status int, message, code, field string) {
	r.t.Helper()
	r.want(status)
	if r.at("success") != false || r.at("data") != nil || r.at("error") != message || r.at("code") != code ||
		r.at("authType") != nil {
		r.t.Errorf("refused with %s, want %q, code %q", r.Raw, message, code)
	}
	details, ok := r.at("details").([]any)
	if !ok {
		r.t.Fatalf("no details: %s", r.Raw)
	}
	for _, d := range details {
		if field == "" || d.(map[string]any)["field"] == field {
			return
		}
	}
	if field != "" {
		r.t.Errorf("details do not name %s: %s", field, r.Raw)
	}
}

// at returns a value in the body by its path, such as "data.companies.0.name"; nil if there is none.
func (r reply) at(path string) any {
	value := r.Body
	for step := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// text is at for what must be a string.
func (r reply) text(path string) string {
	r.t.Helper()
	text, ok := r.at(path).(string)
	if !ok {
		r.t.Fatalf("%s is no string in %s", path, r.Raw)
	}
	return text
}

// keys returns the names of an object's members.
func (r reply) keys(path string) map[string]bool {
	r.t.Helper()
	object, ok := r.at(path).(map[string]any)
	if !ok {
		r.t.Fatalf("%s is no object in %s", path, r.Raw)
	}
	names := map[string]bool{}
	for name := range object {
		names[name] = true
	}
	return names
}
