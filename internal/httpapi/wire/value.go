package wire

import (
	"time"

	"github.com/google/uuid"

	"dealflow/internal/timestamp"
)

// Time returns the text of a time, as timestamp.Format writes it; nil for the zero time.
func Time(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := timestamp.Format(t)
	return &text
}

// TimeOrNull returns the text of a time, as timestamp.Format writes it; nil for nil. Unlike Time, it returns a text for
// the zero time, which clients may send.
func TimeOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	text := timestamp.Format(*t)
	return &text
}

// IDOrNull returns a pointer to id. It returns nil for uuid.Nil, which is the id of things that a dry run did not
// store.
func IDOrNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// TextOrNull returns a pointer to text; nil for "".
func TextOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
