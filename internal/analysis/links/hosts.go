package links

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"dealflow/internal/analysis/lexicon"
)

// longestTLD is more than the characters of any top-level domain in its own script.
const longestTLD = 16

// runsOn reports whether a character belongs to a script in which words follow each other, and a link, without a
// space.
func runsOn(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// ownTLD returns where the top-level domain in its own script ends that begins at i in the host of a link, or 0.
// Words may follow without a space.
func ownTLD(link string, i int) int {
	if !inHost(link[:i]) || link[i-1] != '.' {
		return 0
	}
	longest, count := 0, 0
	for at, r := range link[i:] {
		if !runsOn(r) && !unicode.IsMark(r) || count == longestTLD {
			break
		}
		count++
		if end := i + at + utf8.RuneLen(r); isTLD(link[i:end]) {
			longest = end
		}
	}
	return longest
}

func isTLD(label string) bool {
	ascii, err := idna.ToASCII(label)
	if err != nil {
		return false
	}
	_, known := publicsuffix.PublicSuffix(ascii)
	return known
}

// inOwnHost reports whether a link breaks off behind a dot in a host whose last part is in a script of its own.
func inOwnHost(link string) bool {
	before, found := strings.CutSuffix(link, ".")
	last, _ := utf8.DecodeLastRuneInString(before)
	return found && last >= utf8.RuneSelf && inHost(link)
}

// inHost reports whether a link breaks off in its host.
func inHost(link string) bool {
	_, host, found := strings.Cut(link, "://")
	return found && !strings.ContainsAny(host, "/?#")
}

// isInnerDash reports whether an en dash at i belongs to a path, as in the titles of an encyclopedia: between letters
// or digits, and before a capital, a digit or more of a path. Before a plain word it is the sender's.
func isInnerDash(link string, i int) bool {
	rest, isDash := strings.CutPrefix(link[i:], "–")
	if !isDash || inHost(link[:i]) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(link[:i])
	after, _ := utf8.DecodeRuneInString(rest)
	return lexicon.IsWordRune(before) && (unicode.IsUpper(after) || unicode.IsDigit(after) ||
		unicode.IsLetter(after) && strings.ContainsAny(rest, "/_"))
}
