package wire

import (
	"time"

	"github.com/google/uuid"

	"dealflow/internal/timestamp"
)

// Time writes a time; nil for one that is not set.
func Time(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := timestamp.Format(t)
	return &text
}

// TimeOrNull writes a time; nil for nil.
func TimeOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return Time(*t)
}

// IDOrNull returns nil for uuid.Nil: the id of what a dry run did not store.
func IDOrNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// TextOrNull returns nil for "".
func TextOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
