package mimemail_test

import (
	"testing"
	"time"

	"dealflow/internal/mimemail"
)

func TestZonesOfDates(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"Tue, 3 Mar 2026 10:00:00 EST":               "2026-03-03T15:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 EDT":               "2026-03-03T14:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 CST":               "2026-03-03T16:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 CDT":               "2026-03-03T15:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 MST":               "2026-03-03T17:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 MDT":               "2026-03-03T16:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 PST":               "2026-03-03T18:00:00Z",
		"3 Mar 26 10:00 pdt":                         "2026-03-03T17:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 GMT":               "2026-03-03T10:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 UT":                "2026-03-03T10:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 Z":                 "2026-03-03T10:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 X":                 "2026-03-03T10:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 CEST":              "2026-03-03T08:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 NOWHERE":           "2026-03-03T10:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 H0500":             "2026-03-03T10:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 GMT+0200":          "2026-03-03T08:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 +02:00":            "2026-03-03T08:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 -600":              "2026-03-03T16:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 +2":                "2026-03-03T08:00:00Z",
		"Tue, 3 Mar 2026 10:00:00.123 0000":          "2026-03-03T10:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 -0500 (EST)":       "2026-03-03T15:00:00Z",
		"Tue, 3 Mar 2026 10:00:00 +0530 (not (EST))": "2026-03-03T04:30:00Z",
		"Tue Mar  3 10:00:00 EST 2026":               "2026-03-03T15:00:00Z",
		"Tue Mar  3 10:00:00 2026":                   "2026-03-03T10:00:00Z",
		"Tue Mar  3 10:00:00 2026 -0500":             "2026-03-03T15:00:00Z",
		"Tue,  3 Mar 2026\r\n\t10:00:00 PST":         "2026-03-03T18:00:00Z",
		"Tuesday, March 3, 2026 3:04 PM":             "2026-03-03T15:04:00Z",
		"3/3/2026 3:04:05 PM":                        "2026-03-03T15:04:05Z",
		"2026-03-03T10:00:00-05:00":                  "2026-03-03T15:00:00Z",
		"2026-03-03T10:00:00-0500":                   "2026-03-03T15:00:00Z",
		"2026-03-03T10:00:00":                        "2026-03-03T10:00:00Z",
		"Tue,3 Mar 2026 10:00:00 -0500":              "2026-03-03T15:00:00Z",
		"Tue, 3 March 2026 10:00:00 -0500":           "2026-03-03T15:00:00Z",
		"3 March 2026 10:00:00 EST":                  "2026-03-03T15:00:00Z",
		"Tuesday, 03-Mar-26 10:00:00 GMT":            "2026-03-03T10:00:00Z",
		"03-Mar-2026 10:00:00 -0500":                 "2026-03-03T15:00:00Z",
		"Sat, 31 Dec 2016 23:59:60 GMT":              "2016-12-31T23:59:59Z",
		"Tue, 3 Mar 2026 10:00:00 \"GMT\"":           "2026-03-03T10:00:00Z",
		"2026-03-03 10:00:00 -0500":                  "2026-03-03T15:00:00Z",
	} {
		when, err := mimemail.ParseDate(written)
		if got := when.UTC().Truncate(time.Second).Format(time.RFC3339); err != nil || got != want {
			t.Errorf("ParseDate(%q) = %s, %v; want %s", written, got, err, want)
		}
	}
	for _, written := range []string{"", "someday", "10:00:00 EST", "Tue, 3 Mar 2026 25:00:00 EST"} {
		if when, err := mimemail.ParseDate(written); err == nil {
			t.Errorf("ParseDate(%q) = %s, want an error", written, when)
		}
	}
}
