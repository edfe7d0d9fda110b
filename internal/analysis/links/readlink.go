package links

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"dealflow/internal/analysis/clean"
	"dealflow/internal/analysis/lexicon"
)

// read returns the link in text[start:end], a match of xurls, with a scheme, unwrapped, and without the characters at
// its end that do not belong to it. It reports false if the match has no host, is like "www.acme" without a top-level
// domain, or is only the name of an XML vocabulary.
func (e *Extractor) read(text string, start, end int) (found, bool) {
	before := text[:start]
	raw := trimLink(text[start:end], before)
	l := found{Url: raw, Start: start, End: start + len(raw), schemeless: !clean.HasScheme(raw)}
	l.cut = strings.HasPrefix(text[l.End:], "…") || strings.HasPrefix(text[l.End:], "...")
	if l.schemeless {
		l.Url = "https://" + raw
	}
	if !hasHost(l.Url) || isNamespace(before, l.Url) ||
		l.schemeless && strings.Count(raw, ".") < 2 && lexicon.HasPrefixFold(raw, "www") {
		return found{}, false
	}
	l.Url = unwrap(l.Url)
	return l, true
}

// hasHost reports whether a link has a host: one that begins with a letter, a digit or "[", and that has no character
// that a host cannot have. "https://" and "https://…" have none.
func hasHost(link string) bool {
	host, _ := SplitLink(link)
	for i, r := range host {
		if r < utf8.RuneSelf && !lexicon.IsHostByte(host[i]) && !strings.ContainsRune("_[]:", r) {
			return false
		}
		if i == 0 && r != '[' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return host != ""
}

// isNamespace reports whether a link is only the name of an XML vocabulary, as the value of "xmlns" is, or of a DTD of
// www.w3.org. before is the text before the link.
func isNamespace(before, link string) bool {
	attribute := before[max(0, len(before)-48):]
	attribute = attribute[strings.LastIndexAny(attribute, " \t\n<")+1:]
	if strings.HasPrefix(attribute, "xmlns") {
		return true
	}
	host, rest := SplitLink(link)
	return host == "www.w3.org" && strings.HasPrefix(rest, "/TR/") && strings.HasSuffix(link, ".dtd")
}

// trimLink returns raw, a match of xurls, without the characters at its end that the sender did not mean as part of the
// link: quotes, emphasis, punctuation, "'s", and the words that follow at once in scripts without spaces.
// before is the text before raw.
func trimLink(raw, before string) string {
	raw = raw[:linkEnd(raw, before)]
	raw = strings.TrimRight(raw, ".,;:!?'*")
	if !strings.Contains(raw, "/wiki/") { // in such paths it belongs to names
		raw = strings.TrimSuffix(raw, "'s")
	}
	for _, mark := range []string{"__", "_", "~~", "~"} {
		if strings.HasSuffix(before, mark) {
			return strings.TrimRight(strings.TrimSuffix(raw, mark), ".,;:!?'*")
		}
	}
	return raw
}

// linkEnd returns the index in raw where the link ends that the sender meant. before is the text before raw.
func linkEnd(raw, before string) int {
	for i, r := range raw {
		if r < utf8.RuneSelf {
			if r == '\\' || r == '\'' && (strings.HasSuffix(before, "'") || strings.HasPrefix(raw[i+1:], ",")) {
				return i
			}
			continue
		}
		if end := ownTLD(raw, i); end > 0 {
			if next, _ := utf8.DecodeRuneInString(raw[end:]); runsOn(next) {
				return end
			}
			continue
		}
		if endsLink(raw[:i], r) && !isInnerDash(raw, i) {
			return i
		}
	}
	return len(raw)
}

// endsLink reports whether r, a character outside ASCII, ends the link before it.
func endsLink(link string, r rune) bool {
	if strings.ContainsRune("“”„‘’‚«»‹›–—…·•→｜", r) || unicode.Is(unicode.Bidi_Control, r) || unicode.IsPunct(r) ||
		unicode.IsSpace(r) || r > 0x1F000 {
		return true
	}
	if !runsOn(r) || inOwnHost(link) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(link)
	return last < utf8.RuneSelf && !strings.ContainsRune("/=-_", last)
}

// longestTLD is greater than the number of characters of each top-level domain in other letters than the Latin ones.
const longestTLD = 16

// runsOn reports whether a character is of a script in which a word, or in Korean a particle, may follow a link without
// a space.
func runsOn(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// ownTLD returns the index after a top-level domain in letters other than Latin ones that begins at i in the host of a
// link, 0 if there is none. Words may follow such a domain without a space.
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

// inOwnHost reports whether a link ends with a dot in its host, and the character before the dot is not ASCII: the next
// part of the host may be in the same script.
func inOwnHost(link string) bool {
	before, found := strings.CutSuffix(link, ".")
	last, _ := utf8.DecodeLastRuneInString(before)
	return found && last >= utf8.RuneSelf && inHost(link)
}

// inHost reports whether a link has a scheme, and nothing after its host: no path, query or fragment.
func inHost(link string) bool {
	_, host, found := strings.Cut(link, "://")
	return found && !strings.ContainsAny(host, "/?#")
}

// isInnerDash reports whether the en dash at i belongs to a path, as in the titles of an encyclopedia: it is after a
// letter or digit, and before a capital, a digit or a word with more of a path. Before a plain word it is the sender's
// punctuation.
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
