package mimemail

import (
	"net/mail"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// ParseDate parses the date of a message in the forms that mail programs write. A missing zone and a zone of unknown
// meaning count as UTC. The error is that of net/mail if no form fits.
func ParseDate(written string) (time.Time, error) {
	written = strings.NewReplacer(",", ", ", `"`, "", ":60 ", ":59 ").Replace(written) // :60 is a leap second
	written = numericZone(strings.Join(strings.Fields(written), " "))
	when, err := mail.ParseDate(written)
	if err == nil {
		return when, nil
	}
	for _, layout := range []string{
		time.RFC3339Nano, "Mon, 2 Jan 2006 15:04:05", "2 Jan 2006 15:04:05", "2 Jan 2006 15:04:05 -0700",
		"Mon, 2 Jan 06 15:04:05 -0700", "2 Jan 06 15:04:05 -0700",
		"Mon Jan 2 15:04:05 2006", "Mon Jan 2 15:04:05 2006 -0700", "Mon Jan 2 15:04:05 -0700 2006",
		"Mon, 2 Jan 2006 15:04 -0700",
		"Mon, 2 Jan 2006 15.04.05 -0700", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05",
		"Monday, January 2, 2006 3:04 PM",
		"Monday, 2 January 2006 15:04:05 -0700", "Mon, 2 January 2006 15:04:05 -0700", "2 January 2006 15:04:05 -0700",
		"Monday, 2-Jan-06 15:04:05 -0700", "Mon, 2-Jan-2006 15:04:05 -0700", "2-Jan-2006 15:04:05 -0700",
		"2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", "1/2/2006 3:04:05 PM",
	} {
		if when, other := time.Parse(layout, written); other == nil {
			return when, nil
		}
	}
	return time.Time{}, err
}

// numericZone returns a date with its zone as a number, since time.Parse would take the offset of a zone's name from
// the machine's own zone, and ignore names that it does not know. The zone is the last word, or the one before the
// year, after a time with a colon; a date without one keeps its words. Comments are left out.
func numericZone(written string) string {
	if begin, _, found := strings.Cut(written, " ("); found {
		written = begin
	}
	words := strings.Split(written, " ")
	for i := len(words) - 1; i >= max(1, len(words)-2); i-- {
		if !strings.Contains(words[i-1], ":") {
			continue
		}
		if offset, found := offsetOf(words[i]); found {
			words[i] = offset
			return strings.Join(words, " ")
		}
	}
	return written
}

// offsetOf returns the offset of a zone as "+hhmm", and reports whether the word is a zone. By RFC 5322, zones of
// unknown meaning count as UTC. A year, AM and PM are not zones.
func offsetOf(zone string) (string, bool) {
	if hours, known := zoneHours(strings.ToUpper(zone)); known {
		return offset(hours * 60), true
	}
	named := strings.TrimLeftFunc(zone, unicode.IsLetter)
	if named != zone && !strings.ContainsAny(named[:min(1, len(named))], "+-") {
		return offset(0), !strings.EqualFold(zone, "AM") && !strings.EqualFold(zone, "PM")
	}
	digits := strings.ReplaceAll(strings.TrimLeft(named, "+-"), ":", "")
	number, err := strconv.Atoi(digits)
	switch {
	case err != nil || len(digits) > 4 || named == zone && len(digits) == len(named) && number != 0:
		return "", false // a year
	case len(digits) <= 2:
		number *= 100
	}
	minutes := number/100*60 + number%100
	if strings.HasPrefix(named, "-") {
		minutes = -minutes
	}
	return offset(minutes), true
}

func offset(minutes int) string {
	sign := "+"
	if minutes < 0 {
		sign, minutes = "-", -minutes
	}
	return sign + strconv.Itoa(10000 + minutes/60*100 + minutes%60)[1:]
}

// zoneHours returns the offset from UTC, in hours, of a zone whose name RFC 5322 defines or has one meaning, and
// reports whether it knows the zone. The name must be in upper case.
func zoneHours(name string) (int, bool) {
	hours, known := map[string]int{
		"UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "WET": 0,
		"CET": 1, "MET": 1, "MEZ": 1, "WEST": 1, "BST": 1,
		"CEST": 2, "MEST": 2, "MESZ": 2, "EET": 2, "SAST": 2,
		"EEST": 3, "MSK": 3,
		"JST": 9, "KST": 9,
		"AEST": 10,
		"AEDT": 11,
		"NZST": 12,
		"NZDT": 13,
		"EDT":  -4, "AST": -4,
		"EST": -5, "CDT": -5,
		"CST": -6, "MDT": -6,
		"MST": -7, "PDT": -7,
		"PST": -8, "AKDT": -8,
		"AKST": -9,
		"HST":  -10,
	}[name]
	return hours, known
}
