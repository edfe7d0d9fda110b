package links

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"dealflow/internal/analysis/lexicon"
)

// longestTLD is more than the number of characters of any top-level domain that is not in Latin letters.
const longestTLD = 16

// runsOn reports whether a character is of a script without spaces between words, so that a word may follow a link
// directly.
func runsOn(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// ownTLD returns the index behind the top-level domain in letters other than Latin that begins at i in the host of a
// link, or 0. Words may follow it without a space.
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

// inOwnHost reports whether a link ends behind a dot of its host, and the part before the dot is not in ASCII letters.
func inOwnHost(link string) bool {
	before, found := strings.CutSuffix(link, ".")
	last, _ := utf8.DecodeLastRuneInString(before)
	return found && last >= utf8.RuneSelf && inHost(link)
}

// inHost reports whether a link has nothing behind its host: no path, query or fragment.
func inHost(link string) bool {
	_, host, found := strings.Cut(link, "://")
	return found && !strings.ContainsAny(host, "/?#")
}

// isInnerDash reports whether the en dash at i belongs to a path, as in the titles of an encyclopedia: it is between
// letters or digits, and before a capital, a digit or more of a path. Before a plain word it is punctuation of the
// sender's.
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
