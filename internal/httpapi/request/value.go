package request

import (
	"time"

	"github.com/google/uuid"
)

// ParseID parses a UUID in its usual form of 36 characters, and reports whether text is one; uuid.Parse takes other
// forms too.
func ParseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == len(uuid.Nil.String())
}

const notTimestamp = "must be a timestamp as in RFC 3339, such as 2026-03-02T10:00:00Z"

// parseTimestamp parses a point in time of the years 1 to 9999, and reports whether text is one. The time is in UTC.
func parseTimestamp(text string) (*time.Time, bool) {
	var at time.Time
	if at.UnmarshalText([]byte(text)) != nil || at.UTC().Year() < 1 || at.UTC().Year() > 9999 {
		return nil, false
	}
	at = at.UTC()
	return &at, true
}
