// Package timestamp writes times as they are in JSON.
package timestamp

import "time"

// Format returns a time as ISO 8601 in UTC with six decimals, as the database keeps them.
func Format(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }
