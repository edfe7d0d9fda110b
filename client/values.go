package client

import (
	"encoding/json"
	"time"
)

// Change is the change of a member, in the body of a PATCH, that may be cleared. The zero Change leaves the member
// unchanged.
type Change[T any] struct {
	value *T
	said  bool
}

// Set returns a Change that sets a member to a value.
func Set[T any](value T) Change[T] { return Change[T]{value: &value, said: true} }

// Clear returns a Change that sets a member to null.
func Clear[T any]() Change[T] { return Change[T]{said: true} }

// IsZero reports whether the change leaves the member unchanged; encoding/json then omits it.
func (c Change[T]) IsZero() bool { return !c.said }

// MarshalJSON returns the JSON of the value, or null. A Change that leaves the member unchanged must be omitted; see
// IsZero.
func (c Change[T]) MarshalJSON() ([]byte, error) { return json.Marshal(c.value) }

// Time is a time that is encoded in JSON as the service does it: in UTC, with six decimals.
type Time struct{ time.Time }

// MarshalJSON returns the time with six decimals, even if they are zeros.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05.000000Z"`)), nil
}
