// Package timestamp formats times in the one form in which the service shows them to programs: in the JSON of the API,
// in CSV files and in the output of the command dealflow.
package timestamp

import "time"

// Format returns a time as ISO 8601 in UTC with six decimals, the precision of the database, such as
// 2026-01-02T15:04:05.000000Z.
func Format(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }
