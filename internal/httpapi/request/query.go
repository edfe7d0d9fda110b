package request

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"dealflow/internal/fault"
)

const maxSearch = 500 // characters

// Query has the query parameters of a request, which are read one by one, so that one error can name all invalid
// parameters. A method that finds a parameter invalid records that for Err; its result must not be used then.
// Parameters that are not read are ignored. The error of a query is the InvalidQuery of Err.
type Query struct {
	path   string
	values url.Values
	read   []string // the parameters that were read
	wrong  []fault.Detail
}

// ReadQuery parses the query parameters of a request. If the query cannot be parsed, it records that for Err.
func ReadQuery(r *http.Request) *Query {
	values, err := url.ParseQuery(r.URL.RawQuery)
	q := &Query{path: r.URL.Path, values: values}
	if err != nil {
		q.Refuse("query", "cannot be read: check the percent-encoding")
	}
	return q
}

// Refuse records what is wrong with a parameter.
func (q *Query) Refuse(name, message string) {
	q.wrong = append(q.wrong, fault.Detail{Field: name, Message: message})
}

// Err returns InvalidQuery, which names all parameters that were found invalid, or nil if there are none.
func (q *Query) Err() error {
	if len(q.wrong) == 0 {
		return nil
	}
	return fault.New(fault.InvalidQuery, "invalid_parameter", q.wrong...)
}

// Text returns a parameter, and reports whether it was sent. It refuses a parameter that was sent more than once or is
// not UTF-8, and reports false then.
func (q *Query) Text(name string) (string, bool) {
	values := q.values[name]
	q.read = append(q.read, name)
	switch {
	case len(values) == 0:
		return "", false
	case len(values) > 1:
		q.Refuse(name, "may be sent once only")
		return "", false
	case !utf8.ValidString(values[0]):
		q.Refuse(name, "is not valid UTF-8")
		return "", false
	}
	return values[0], true
}

// Integer returns the whole number of a parameter, which must be from least to most and have no sign "+". It returns
// fallback if the parameter was not sent or is refused.
func (q *Query) Integer(name string, fallback, least, most int) int {
	text, sent := q.Text(name)
	if !sent {
		return fallback
	}
	number, err := strconv.Atoi(text)
	if err != nil || text[0] == '+' || number < least || number > most {
		q.Refuse(name, fmt.Sprintf("must be an integer from %d to %d", least, most))
		return fallback
	}
	return number
}

// Boolean returns the value of a parameter that is true or false; false if it was not sent.
func (q *Query) Boolean(name string) bool {
	text, sent := q.Text(name)
	if sent && text != "true" && text != "false" {
		q.Refuse(name, "must be true or false")
	}
	return text == "true"
}

// Choice returns a parameter that must be one of the values; fallback if it was not sent.
func (q *Query) Choice(name, fallback string, values ...string) string {
	text, sent := q.Text(name)
	if !sent {
		return fallback
	}
	if !slices.Contains(values, text) {
		q.Refuse(name, "must be one of "+strings.Join(values, ", "))
	}
	return text
}

// Choices returns the values of a parameter, which are separated by commas and must be among values; nil if it was not
// sent.
func (q *Query) Choices(name string, values ...string) []string {
	text, sent := q.Text(name)
	if !sent {
		return nil
	}
	chosen := strings.Split(text, ",")
	for _, one := range chosen {
		if !slices.Contains(values, one) {
			q.Refuse(name, "must be some of "+strings.Join(values, ", ")+", separated by commas")
			break
		}
	}
	return chosen
}

// Words returns the text of a parameter to search for; nil if it was not sent. It refuses a text that is empty, has
// more than 500 characters, or has a NUL.
func (q *Query) Words(name string) *string {
	text, sent := q.Text(name)
	if !sent {
		return nil
	}
	if length := utf8.RuneCountInString(text); length < 1 || length > maxSearch {
		q.Refuse(name, fmt.Sprintf("must have 1 to %d characters", maxSearch))
	}
	if strings.ContainsRune(text, 0) {
		q.Refuse(name, "holds a NUL character")
	}
	return &text
}

// ID returns the UUID of a parameter; nil if it was not sent.
func (q *Query) ID(name string) *uuid.UUID {
	text, sent := q.Text(name)
	if !sent {
		return nil
	}
	id, ok := ParseID(text)
	if !ok {
		q.Refuse(name, "must be a UUID")
		return nil
	}
	return &id
}

// Flag is Boolean, but returns nil if the parameter was not sent.
func (q *Query) Flag(name string) *bool {
	if _, sent := q.values[name]; !sent {
		return nil
	}
	value := q.Boolean(name)
	return &value
}

// Exact returns the text of a parameter to compare with; "" if it was not sent. It refuses a text that is empty, has
// more than most characters, or has a NUL.
func (q *Query) Exact(name string, most int) string {
	text, sent := q.Text(name)
	if !sent {
		return ""
	}
	if length := utf8.RuneCountInString(text); length < 1 || length > most || strings.ContainsRune(text, 0) {
		q.Refuse(name, fmt.Sprintf("must have 1 to %d characters and no NUL", most))
	}
	return text
}

// Order returns the column by which a list is sorted, "created_at" (the default) or "updated_at", and whether the order
// is ascending. By default it is descending.
func (q *Query) Order() (column string, ascending bool) {
	return q.Choice("sort_by", "created_at", "created_at", "updated_at"), q.Choice("sort_order", "desc", "asc",
		"desc") == "asc"
}

// UpdatedSince returns the time, in UTC, in the parameter "updated_since"; nil if it was not sent. It refuses a text
// that is not a time of RFC 3339.
func (q *Query) UpdatedSince() *time.Time {
	const name = "updated_since"
	text, sent := q.Text(name)
	if !sent {
		return nil
	}
	at, ok := parseTimestamp(text)
	if !ok {
		q.Refuse(name, notTimestamp)
	}
	return at
}
