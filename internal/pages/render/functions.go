package render

import (
	"fmt"
	"html/template"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"dealflow/internal/activity"
	"dealflow/internal/blank"
	"dealflow/internal/dashboard"
	"dealflow/internal/password"
)

// functions returns the functions that templates call.
func functions(files *assets) template.FuncMap {
	return template.FuncMap{
		"asset": files.url, "initials": initials, "day": Day, "excerpt": Excerpt, "colorClass": colorClass,
		"spent":            Spent,
		"subject":          subject,
		"grouped":          func(n any) string { return Grouped(reflect.ValueOf(n).Int()) }, // of any size
		"words":            func(code string) string { return strings.ReplaceAll(code, "_", " ") },
		"happened":         happened,
		"webLink":          func(link *string) string { return WebLink(Text(link)) },
		"shortestPassword": func() int { return password.Shortest },
		"longestPassword":  func() int { return password.Longest },
	}
}

// happened returns the description of an event for a page that shows the company's name before it: "moved from New to
// Won" for "Company Acme moved from New to Won". The description may have an earlier name of the company, which is left
// out, too. A description of another form is returned unchanged.
func happened(e dashboard.Event) string {
	if e.CompanyName == nil {
		return e.Description
	}
	switch e.Type {
	case activity.CompanyAdded:
		return "was added"
	case activity.StatusChanged:
		rest := strings.TrimPrefix(e.Description, "Company "+*e.CompanyName) // the name may have " moved from " in it
		if _, move, found := strings.Cut(rest, " moved from "); found {
			return "moved from " + move
		}
	case activity.CompanyMerged:
		if other, _, found := strings.Cut(e.Description, " was merged into "); found {
			return "was merged with " + strings.TrimPrefix(other, "Company ")
		}
	case activity.MergeUndone:
		if other, _, found := strings.Cut(e.Description, " into "); found {
			return "was separated from " + strings.TrimPrefix(other, "The merge of company ")
		}
	}
	return e.Description
}

// subject returns the subject of an email without the white space around it, and "No subject" if nothing of it can be
// seen.
func subject(given *string) string {
	if text := blank.Trim(Text(given)); text != "" {
		return text
	}
	return "No subject"
}

// initials returns the first letters of the first and the last word of a name as capitals, one letter for a name of one
// word, and "?" for a name without words.
func initials(name string) string {
	words := strings.Fields(name)
	if len(words) == 0 {
		return "?"
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	if len(words) == 1 {
		return strings.ToUpper(string(first))
	}
	last, _ := utf8.DecodeRuneInString(words[len(words)-1])
	return strings.ToUpper(string(first) + string(last))
}

// Day formats the day of a time for people, in UTC, such as "2 Jan 2006".
func Day(at time.Time) string { return at.UTC().Format("2 Jan 2006") }

// Excerpt returns a text of up to most characters unchanged. Of a longer text it returns the beginning, cut between
// words if possible, with "…" after it.
func Excerpt(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	cut := string(runes[:most])
	if space := strings.LastIndexByte(cut, ' '); space > most/2 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,.;:") + "…"
}

// colorClass returns the name of the CSS class whose hue is nearest to that of color, which is written as #rrggbb: one
// of twelve, "c-h0" to "c-h330". It returns "c-slate" for grays, and "c-none" for any other text. Pages use classes
// since they have no inline styles.
func colorClass(color string) string {
	var red, green, blue int
	if _, err := fmt.Sscanf(color, "#%02x%02x%02x", &red, &green, &blue); err != nil {
		return "c-none"
	}
	most, least := max(red, green, blue), min(red, green, blue)
	if most-least < 40 {
		return "c-slate"
	}
	found, nearest, apart := hue(red, green, blue, most, least), 0, 360
	for i, own := range classHues() {
		turn := max(found-own, own-found)
		if turn = min(turn, 360-turn); turn < apart {
			nearest, apart = i, turn
		}
	}
	return fmt.Sprintf("c-h%d", 30*nearest)
}

// classHues returns the hues that the style sheet has for the classes "c-h0", "c-h30" and so on, as hue returns them.
func classHues() []int { return []int{2, 29, 50, 82, 135, 158, 184, 218, 239, 258, 292, 333} }

// hue returns the angle of a color on the color wheel, in degrees from 0 up to 360. most and least are the largest and
// the smallest of red, green and blue, and must differ.
func hue(red, green, blue, most, least int) int {
	span := most - least
	switch most {
	case red:
		return (60*(green-blue)/span + 360) % 360
	case green:
		return 60*(blue-red)/span + 120
	}
	return 60*(red-green)/span + 240
}

// Text returns a text, or "" for nil.
func Text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// WebLink returns link if it is an http or https URL with a host, and otherwise "", so that pages do not link to it.
func WebLink(link string) string {
	parsed, err := url.Parse(link)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return ""
	}
	return link
}

// Grouped formats a number with commas between thousands, such as "12,345". The number must not be negative.
func Grouped[N int | int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Spent formats a duration in milliseconds for people, rounded to seconds, such as "1 min 5 s"; "under 1 s" for a
// positive duration that rounds to 0, and "0 s" for 0.
func Spent(milliseconds int64) string {
	spent := (time.Duration(milliseconds) * time.Millisecond).Round(time.Second)
	if spent == 0 && milliseconds > 0 {
		return "under 1 s"
	}
	return strings.NewReplacer("h", " h ", "m", " min ", "s", " s").Replace(spent.String())
}
