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
	"dealflow/internal/dashboard"
	"dealflow/internal/password"
)

// functions returns the functions that templates call.
func functions(files *assets) template.FuncMap {
	return template.FuncMap{
		"asset": files.url, "initials": initials, "day": Day, "excerpt": Excerpt, "colorClass": colorClass,
		"spent":            Spent,
		"grouped":          func(n any) string { return Grouped(reflect.ValueOf(n).Int()) }, // of any size
		"words":            func(code string) string { return strings.ReplaceAll(code, "_", " ") },
		"happened":         happened,
		"webLink":          func(link *string) string { return WebLink(Text(link)) },
		"shortestPassword": func() int { return password.Shortest },
		"longestPassword":  func() int { return password.Longest },
	}
}

// happened returns the description of an event without the name of its company, which pages show before it. For an
// added company it is "was added", since the description may have the name from before the analysis.
func happened(e dashboard.Event) string {
	if e.CompanyName == nil {
		return e.Description
	}
	if e.Type == activity.CompanyAdded {
		return "was added"
	}
	return strings.TrimPrefix(e.Description, "Company "+*e.CompanyName+" ")
}

// initials returns the first letters of the first and the last word of a name.
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

// Day formats a date for people, in UTC.
func Day(at time.Time) string { return at.UTC().Format("2 Jan 2006") }

// Excerpt returns a text of at most most characters as it is. Of a longer text it returns the beginning, cut between
// words where possible, with "…" after it.
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

// colorClass returns the name of a CSS class, since pages have no inline styles: the class whose color is nearest to
// color, which is written as #rrggbb; "c-none" for any other text.
func colorClass(color string) string {
	var red, green, blue int
	if _, err := fmt.Sscanf(color, "#%02x%02x%02x", &red, &green, &blue); err != nil {
		return "c-none"
	}
	most, least := max(red, green, blue), min(red, green, blue)
	if most-least < 40 {
		return "c-slate"
	}
	return "c-h" + fmt.Sprint(hue(red, green, blue, most, least)/30*30)
}

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

// WebLink returns link if pages may link to it: it must have a host, and http or https. It returns "" for any other
// text.
func WebLink(link string) string {
	parsed, err := url.Parse(link)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return ""
	}
	return link
}

// Grouped returns a number, which must not be negative, with a comma between thousands.
func Grouped[N int | int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Spent formats a time in milliseconds for people.
func Spent(milliseconds int64) string {
	spent := (time.Duration(milliseconds) * time.Millisecond).Round(time.Second)
	if spent == 0 && milliseconds > 0 {
		return "under 1 s"
	}
	return strings.NewReplacer("h", " h ", "m", " min ", "s", " s").Replace(spent.String())
}
