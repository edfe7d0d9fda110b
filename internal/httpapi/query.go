package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/fault"
)

const maxSearch = 500 // characters

// query is a request's query parameters, read one by one, so that a refusal names every wrong one. Unknown ones are
// ignored.
type query struct {
	path   string
	values url.Values
	read   []string // the parameters that were asked for
	wrong  []fault.Detail
}

func queryOf(c *gin.Context) *query {
	values, err := url.ParseQuery(c.Request.URL.RawQuery)
	q := &query{path: c.Request.URL.Path, values: values}
	if err != nil {
		q.refuse("query", "cannot be read: check the percent-encoding")
	}
	return q
}

func (q *query) refuse(name, message string) {
	q.wrong = append(q.wrong, fault.Detail{Field: name, Message: message})
}

// err refuses all parameters that were found wrong.
func (q *query) err() error {
	if len(q.wrong) == 0 {
		return nil
	}
	return fault.New(fault.InvalidQuery, "invalid_parameter", q.wrong...)
}

// text returns a parameter and whether it was sent. One that was sent twice has no value to choose.
func (q *query) text(name string) (string, bool) {
	values := q.values[name]
	q.read = append(q.read, name)
	switch {
	case len(values) == 0:
		return "", false
	case len(values) > 1:
		q.refuse(name, "may be sent once only")
		return "", false
	case !utf8.ValidString(values[0]):
		q.refuse(name, "is not valid UTF-8")
		return "", false
	}
	return values[0], true
}

// integer returns a whole number within bounds; fallback where it was not sent.
func (q *query) integer(name string, fallback, least, most int) int {
	text, sent := q.text(name)
	if !sent {
		return fallback
	}
	number, err := strconv.Atoi(text)
	if err != nil || text[0] == '+' || number < least || number > most {
		q.refuse(name, fmt.Sprintf("must be an integer from %d to %d", least, most))
		return fallback
	}
	return number
}

// boolean is false where it was not sent.
func (q *query) boolean(name string) bool {
	text, sent := q.text(name)
	if sent && text != "true" && text != "false" {
		q.refuse(name, "must be true or false")
	}
	return text == "true"
}

// choice returns one of the values; fallback where it was not sent.
func (q *query) choice(name, fallback string, values ...string) string {
	text, sent := q.text(name)
	if !sent {
		return fallback
	}
	if !slices.Contains(values, text) {
		q.refuse(name, "must be one of "+strings.Join(values, ", "))
	}
	return text
}

// words gives what to search for, 1 to 500 characters; nil where it was not sent.
func (q *query) words(name string) *string {
	text, sent := q.text(name)
	if !sent {
		return nil
	}
	if length := utf8.RuneCountInString(text); length < 1 || length > maxSearch {
		q.refuse(name, fmt.Sprintf("must have 1 to %d characters", maxSearch))
	}
	if strings.ContainsRune(text, 0) {
		q.refuse(name, "holds a NUL character")
	}
	return &text
}

// id returns a UUID; nil where it was not sent.
func (q *query) id(name string) *uuid.UUID {
	text, sent := q.text(name)
	if !sent {
		return nil
	}
	id, ok := parseID(text)
	if !ok {
		q.refuse(name, "must be a UUID")
		return nil
	}
	return &id
}

// parseID reads the one usual form of a UUID; uuid.Parse takes others too.
func parseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == len(uuid.Nil.String())
}

// pathID returns a UUID out of the path; a malformed one is NotFound like one that does not exist.
func pathID(c *gin.Context, name string) (uuid.UUID, error) {
	id, ok := parseID(c.Param(name))
	if !ok {
		return uuid.Nil, fault.Missing()
	}
	return id, nil
}
