package text

import (
	"regexp"
	"slices"
	"sort"
	"strings"

	"dealflow/internal/analysis/lexicon"
)

// wrotePattern returns a pattern that matches the line that a mail program writes above a quoted mail. Its two groups
// are what precedes and what follows the word for "wrote"; the second may be empty.
func wrotePattern() string {
	return `(?i)^\s*(?:` + anyOf("before") + `)\s(.{4,160}?)[\s,]*` +
		`(?:` + anyOf("wrote") + `)(?:\s(.{0,80}))?\s?:\s*$`
}

// daysOfTheWeek returns the folded words in the section of quoted_mail.txt for the days.
func daysOfTheWeek() map[string]bool {
	days := map[string]bool{}
	for _, line := range lexicon.Lines("quoted_mail.txt") {
		if line.Sections == "day" {
			days[lexicon.Fold(line.Text)] = true
		}
	}
	return days
}

// anyOf returns a pattern that matches each of the words in a section of quoted_mail.txt.
func anyOf(section string) string {
	var words []string
	for _, line := range lexicon.Lines("quoted_mail.txt") {
		if line.Sections == section {
			words = append(words, regexp.QuoteMeta(line.Text))
		}
	}
	return strings.Join(words, "|")
}

// attribution parses the line that a mail program writes above a quoted mail: "On Monday, Ann Lee <ann@acme.io>
// wrote:". It reports false for any other line.
func (r *Reader) attribution(s string) (Header, bool) {
	m := r.wrote.FindStringSubmatch(s)
	if m == nil {
		return Header{}, false
	}
	name, email := ReadPerson(r.afterDay(strings.TrimSpace(m[1])))
	if after, address := ReadPerson(m[2]); address != "" || name == "" { // "Am Montag schrieb Ann Lee <ann@acme.io>:"
		name, email = after, address
	}
	return Header{Name: afterDate(name), Email: email, Reply: true}, email != "" || name != ""
}

// afterDay returns a text without the day of the week that begins it: "Ann" for "Monday, Ann", which read as a name
// would be that of Ann Monday.
func (r *Reader) afterDay(s string) string {
	if day, rest, _ := strings.Cut(s, " "); r.days[lexicon.Fold(strings.TrimRight(day, ","))] {
		return strings.TrimLeft(rest, ", ")
	}
	day, rest, ok := strings.Cut(s, ", ")
	if !ok || strings.ContainsAny(day, " \"'<") {
		return s
	}
	return rest
}

// afterDate returns the name after a date: "Ida Falk" for "Thu, 5 Nov 2026 Ida Falk"; "" if nothing follows the date.
// It returns a text without a date as it is.
func afterDate(s string) string {
	words := strings.Fields(s)
	for i, word := range slices.Backward(words) {
		if lexicon.HasDigit(word) || strings.HasSuffix(word, ",") || word == "at" || word == "um" {
			return strings.Join(words[i+1:], " ")
		}
	}
	return s
}

// IsQuoted reports whether a byte of the body is in a mail that the text answers or forwards, below at least six words
// of its own.
func (rd *Text) IsQuoted(at int) bool {
	const ownWords = 6
	for _, h := range rd.Mails {
		if h.Start > 0 && h.end <= at && rd.TokenAt(h.Start) >= ownWords {
			return true
		}
	}
	i := sort.Search(len(rd.Lines), func(i int) bool { return rd.Lines[i].Start > at }) - 1
	return i >= 0 && rd.Lines[i].depth > 0 && rd.Lines[0].depth == 0 && rd.TokenAt(rd.firstQuoted()) >= ownWords
}

// firstQuoted returns the byte at which the first quoted line begins, len(rd.Body) if there is none.
func (rd *Text) firstQuoted() int {
	for _, l := range rd.Lines {
		if l.depth > 0 {
			return l.Start
		}
	}
	return len(rd.Body)
}

// Quotes reports whether the text ends in an older mail below its own words, as IsQuoted decides it.
func (rd *Text) Quotes() bool { return len(rd.Body) > 0 && rd.IsQuoted(len(rd.Body)-1) }
