package request

import (
	"time"

	"github.com/google/uuid"
)

// ParseID parses a UUID and reports whether text is one. It accepts only the usual form of 36 characters, unlike
// uuid.Parse.
func ParseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == len(uuid.Nil.String())
}

const notTimestamp = "must be a timestamp as in RFC 3339, such as 2026-03-02T10:00:00Z"

// parseTimestamp parses a time of RFC 3339, in the years 1 to 9999 of UTC, and reports whether text is one. The result
// is in UTC; it is nil if text is not such a time.
func parseTimestamp(text string) (*time.Time, bool) {
	var at time.Time
	if at.UnmarshalText([]byte(text)) != nil || at.UTC().Year() < 1 || at.UTC().Year() > 9999 {
		return nil, false
	}
	at = at.UTC()
	return &at, true
}
