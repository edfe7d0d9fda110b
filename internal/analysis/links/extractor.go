package links

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"mvdan.cc/xurls/v2"

	"dealflow/internal/analysis/clean"
	"dealflow/internal/analysis/lexicon"
)

// Extractor finds the links of a text. It is not changed after it is built, and may be used by many goroutines.
type Extractor struct {
	link  *regexp.Regexp // a link at the very beginning of a text
	hosts map[string]bool
}

// NewExtractor returns an Extractor. It finds a link without a scheme only if the link begins with "www.", or if its
// host is in a pattern of the classes, as in "docsend.com/view/x". Classes with Never or OnlyNamed, and hosts with "*",
// do not count.
func NewExtractor(classes []DeckClass) *Extractor {
	e := &Extractor{hosts: map[string]bool{}}
	for _, class := range classes {
		for _, p := range class.Patterns {
			if host := patternHost(p); !class.Never && !class.OnlyNamed && !strings.Contains(host, "*") {
				e.hosts[host] = true
			}
		}
	}
	var err error
	if e.link, err = xurls.StrictMatchingScheme(`\A(?:https?://|[a-z0-9])`); err != nil {
		e.link = xurls.Strict() // cannot happen: the expression is a constant
	}
	return e
}

// Links returns the distinct http and https links of the text in order of appearance, as the sender meant them:
// decoded, joined over lines, without the punctuation around them, and unwrapped if the target can be read from the
// link itself. Links in HTML attributes are included. It leaves out mailto: and tel: links, links without a host, names
// of XML vocabularies, shortened links beside the full ones, and links without a scheme other than those that
// NewExtractor describes. The time is linear in the text.
func (e *Extractor) Links(text string) []string {
	return Distinct(e.Clean(text).Links)
}

// Cleaned is a text after cleaning, and the links that Extractor.Find found in it, repeated ones included.
type Cleaned struct {
	Text  string
	Links []found
}

// Clean cleans a text, finds its links, and returns both.
func (e *Extractor) Clean(text string) Cleaned {
	text = clean.JoinWrapped(clean.Clean(text))
	return Cleaned{Text: text, Links: e.Find(text)}
}

// Distinct returns the links of a text without the repeated ones, never nil. A link is repeated if an earlier one
// differs from it only in the case of scheme and host, or in the slash of an empty path; if the earlier one was written
// without a scheme, the later one replaces it. A link that was written without a scheme is taken for https, and is also
// repeated if an earlier one differs only in having http.
func Distinct(found []found) []string {
	links := make([]string, 0, len(found))
	seen := make(map[string]int, len(found)) // by key: one more than its index
	bare := make(map[string]bool)
	for _, l := range found {
		key := linkKey(l.Url)
		if at := seen[key]; at > 0 {
			if bare[key] && !l.schemeless { // "www.acme.io<https://www.acme.io/>": the link itself is there in full
				links[at-1], bare[key] = l.Url, false
			}
			continue
		}
		if l.schemeless && seen[otherScheme(key)] > 0 {
			continue
		}
		links = append(links, l.Url)
		seen[key], bare[key] = len(links), l.schemeless
	}
	return links
}

// linkKey returns a key by which links are compared: the link with its scheme and host in lower case, and without the
// path if that is "/" and nothing follows it. The link must have a scheme.
func linkKey(link string) string {
	scheme, rest, _ := strings.Cut(link, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	path := rest[end:]
	if path == "/" {
		path = ""
	}
	return strings.ToLower(scheme) + "://" + strings.ToLower(rest[:end]) + path
}

func otherScheme(key string) string { return "http" + strings.TrimPrefix(key, "https") }

// found is one link, and where it is in the cleaned text: from byte Start up to, not including, End.
type found struct {
	Url        string
	Start, End int
	schemeless bool
	cut        bool // an ellipsis follows: only the beginning is shown
}

// Find returns the links of a cleaned text, repeated ones included; it leaves out the same links as Links. It first
// looks for the possible beginnings of links and lets xurls match only there: if xurls tried every character, a
// megabyte would take a second.
func (e *Extractor) Find(text string) []found {
	var all []found
	for at := 0; at < len(text); {
		start := e.nextStart(text, at)
		if start < 0 {
			break
		}
		span := e.link.FindStringIndex(text[start:])
		if span == nil {
			at = start + 1
			continue
		}
		at = start + span[1]
		for start < at {
			next := nextGlued(text, start, at)
			if l, ok := e.read(text, start, next); ok {
				all = append(all, l)
			}
			start = next
		}
	}
	return dropAbbreviated(all)
}

// nextStart returns the first index, from at on, where a link may begin: a scheme, "www." or a host of e.hosts; -1 for
// none.
func (e *Extractor) nextStart(text string, at int) int {
	for from := at; ; {
		i := strings.IndexAny(text[from:], "/wW")
		if i < 0 {
			return -1
		}
		i += from
		from = i + 1
		switch {
		case text[i] != '/':
			if lexicon.HasPrefixFold(text[i:], "www.") && mayBegin(text[:i]) {
				return i
			}
		case strings.HasPrefix(text[i:], "//") && i > at && text[i-1] == ':':
			if start := schemeStart(text[at:i]); start >= 0 {
				return at + start
			}
		default:
			if start := e.hostStart(text, at, i); start >= 0 {
				return start
			}
		}
	}
}

// schemeStart returns where "http:" or "https:" at the end of text begins, or -1.
func schemeStart(text string) int {
	for _, scheme := range []string{"https:", "http:"} {
		if lexicon.HasSuffixFold(text, scheme) {
			return len(text) - len(scheme)
		}
	}
	return -1
}

// hostStart returns the index of the host at the end of text[at:slash], if that host or a parent domain is in e.hosts,
// else -1. It looks at the last 80 bytes only.
func (e *Extractor) hostStart(text string, at, slash int) int {
	const longest = 80
	start := slash
	for start > at && slash-start < longest && lexicon.IsHostByte(text[start-1]) {
		start--
	}
	if start == slash || !mayBegin(text[:start]) || !lexicon.IsLetterOrDigit(text[start]) {
		return -1
	}
	for host := strings.ToLower(text[start:slash]); host != ""; {
		if e.hosts[host] {
			return start
		}
		_, host, _ = strings.Cut(host, ".")
	}
	return -1
}

// mayBegin reports whether a host may begin after this text. A host does not begin inside an address, a path or another
// host.
func mayBegin(before string) bool {
	if before == "" {
		return true
	}
	c := before[len(before)-1]
	return !lexicon.IsHostByte(c) && strings.IndexByte("@/:=%_", c) < 0 ||
		c == ':' && !strings.HasSuffix(before, "mailto:")
}

// nextGlued returns the byte at which a second link begins inside text[start:end], which xurls took for one link
// ("https://a.io/x,https://b.io/y"); end if there is none. A link in a parameter or path of the first one is a part of
// the first.
func nextGlued(text string, start, end int) int {
	for from := start + 1; from < end; {
		i := strings.Index(text[from:end], "://")
		if i < 0 {
			return end
		}
		at := from + i
		head := text[:at]
		for _, scheme := range []string{"https", "http"} {
			begin := at - len(scheme)
			if begin > start && lexicon.HasSuffixFold(head, scheme) && isGlue(text[begin-1]) {
				return begin
			}
		}
		from = at + 3
	}
	return end
}

func isGlue(c byte) bool {
	return c >= utf8.RuneSelf || strings.IndexByte(",;()[]{}|'*", c) >= 0 || lexicon.IsLetterOrDigit(c)
}

// dropAbbreviated returns the links without shortened forms ("https://acme.io/dec…") that a mail program shows beside
// the full ones.
func dropAbbreviated(all []found) []found {
	kept := make([]found, 0, len(all))
	for i, l := range all {
		if l.cut && (i > 0 && isLongerThan(all[i-1].Url, l.Url) || i+1 < len(all) && isLongerThan(all[i+1].Url, l.Url)) {
			continue
		}
		kept = append(kept, l)
	}
	return kept
}

func isLongerThan(link, beginning string) bool {
	return len(link) > len(beginning) && strings.HasPrefix(link, beginning)
}
