package httpapi

import (
	"time"

	"github.com/google/uuid"
)

// timeFormat is ISO 8601 in UTC with six decimals.
const timeFormat = "2006-01-02T15:04:05.000000Z"

// stamp writes a time; nil for one that is not set.
func stamp(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format(timeFormat)
	return &text
}

// stampOrNull writes a time; nil for nil.
func stampOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return stamp(*t)
}

// idOrNull returns nil for uuid.Nil: the id of what a dry run did not store.
func idOrNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// textOrNull returns nil for "".
func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
