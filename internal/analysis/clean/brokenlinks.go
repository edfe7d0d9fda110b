package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
)

// JoinWrapped returns the text with the links joined that a mail program broke over lines. A link in angle brackets, in
// an HTML attribute or in a Markdown target is joined up to its closing character, if nothing but parts of a link comes
// before that. Any other link is joined only if its line is as full as a wrapped one and the next line reads like the
// rest of a link. In a text with links, "\r\n" becomes "\n". Each line is looked at a bounded number of times.
func JoinWrapped(text string) string {
	if !strings.Contains(text, "\n") || !strings.Contains(text, "//") && !containsFold(text, "www.") {
		return text
	}
	j := joiner{lines: strings.Split(text, "\n")}
	j.out.Grow(len(text))
	for j.at < len(j.lines) {
		j.logicalLine()
	}
	return j.out.String()
}

func containsFold(s, lower string) bool {
	return strings.Contains(s, lower) || strings.Contains(s, strings.ToUpper(lower))
}

// joiner writes lines to out, without the line ends that are inside links. at is the index of the current line.
type joiner struct {
	lines []string
	at    int
	out   strings.Builder
}

// logicalLine writes the current line and, if a link at its end is broken over lines, the lines that continue the link.
func (j *joiner) logicalLine() {
	line := trimCR(j.lines[j.at])
	j.out.WriteString(line)
	quote := QuotePrefix(line)
	open := openLink(line[len(quote):])
	if open.link != "" {
		if n := j.enclosed(open.closer, quote); n > 0 {
			j.takeEnclosed(n, quote)
		} else {
			j.takeWrapped(line, open.link, quote)
		}
	}
	j.at++
	if j.at < len(j.lines) {
		j.out.WriteByte('\n')
	}
}

// enclosed returns how many of the next lines belong to a link in brackets or quotes: those up to and including the
// line with closer. It returns 0 if closer is 0, if something that is no part of a link comes before closer, or if
// closer does not come. quote is the quote prefix of the current line.
func (j *joiner) enclosed(closer byte, quote string) int {
	if closer == 0 {
		return 0
	}
	for n := 1; j.at+n < len(j.lines); n++ {
		part, ok := continued(j.lines[j.at+n], quote)
		if !ok || closer == ')' && strings.Contains(part, "](") {
			return 0
		}
		end := linkRun(part)
		if end < len(part) {
			if part[end] == closer || strings.IndexByte(part[:end], closer) >= 0 {
				return n
			}
			return 0
		}
		if strings.IndexByte(part, closer) >= 0 {
			return n
		}
	}
	return 0
}

func (j *joiner) takeEnclosed(n int, quote string) {
	for range n {
		j.at++
		part, _ := continued(j.lines[j.at], quote)
		j.out.WriteString(part)
	}
}

// takeWrapped writes the following lines, without the line ends between them, as long as each looks like the rest of
// the link. line is the current line, link the link at its end, and quote its quote prefix.
func (j *joiner) takeWrapped(line, link, quote string) {
	w := wrap{width: utf8.RuneCountInString(line), link: link}
	for j.at+1 < len(j.lines) {
		next := trimCR(j.lines[j.at+1])
		part, ok := continued(next, quote)
		if !ok || isIndented(next, quote) || !w.goesOn(part) {
			return
		}
		j.at++
		j.out.WriteString(part)
		end := linkRun(part)
		w.take(part[:end], utf8.RuneCountInString(next))
		if end < len(part) {
			j.reopen(part[end:], next, quote)
			return
		}
	}
}

// reopen joins the lines of a second link, if one begins after the first link has ended. line is the current line,
// quote its quote prefix, and rest the part of it after the first link.
func (j *joiner) reopen(rest, line, quote string) {
	if open := openLink(rest); open.link != "" {
		if n := j.enclosed(open.closer, quote); n > 0 {
			j.takeEnclosed(n, quote)
		} else {
			j.takeWrapped(line, open.link, quote)
		}
	}
}

func trimCR(line string) string { return strings.TrimSuffix(line, "\r") }

// QuotePrefix returns the quote marks at the start of a line of quoted mail, such as "> > ", "" if there are none. It
// looks at the first 64 bytes only.
func QuotePrefix(line string) string {
	n := 0
	for i := 0; i < len(line) && i < 64; i++ {
		switch line[i] {
		case '>':
			n = i + 1
		case ' ':
			if i == n && n > 0 {
				n = i + 1
			}
		default:
			return line[:n]
		}
	}
	return line[:n]
}

// continued returns a line without its quote prefix and indentation. It reports false if the line is blank, or is not
// quoted to the same depth as a line with the prefix quote.
func continued(line, quote string) (string, bool) {
	line = trimCR(line)
	own := QuotePrefix(line)
	if strings.Count(own, ">") != strings.Count(quote, ">") {
		return "", false
	}
	part := strings.TrimLeft(line[len(own):], " \t")
	return part, part != ""
}

// isIndented reports whether a line has a space or tab more before its text than a line with the prefix quote. The line
// may write quote marks of the same depth differently: ">>" for "> > ".
func isIndented(line, quote string) bool {
	rest := line[strings.LastIndexByte(QuotePrefix(line), '>')+1:]
	rest, ok := strings.CutPrefix(rest, quote[strings.LastIndexByte(quote, '>')+1:])
	return ok && rest != "" && (rest[0] == ' ' || rest[0] == '\t')
}

// opening is a link that reaches the end of its line. closer is the byte that must end it, 0 if it is not enclosed.
type opening struct {
	link   string
	closer byte
}

// openLink returns the link that reaches the end of the line, which has no quote prefix; a zero opening for none.
func openLink(line string) opening {
	start := lastLinkStart(line)
	if start < 0 || linkRun(line[start:]) < len(line)-start {
		return opening{}
	}
	return opening{link: line[start:], closer: closerFor(line[:start])}
}

func lastLinkStart(line string) int {
	best := -1
	for _, mark := range []string{"http://", "https://", "HTTP://", "HTTPS://", "www."} {
		best = max(best, strings.LastIndex(line, mark))
	}
	if best < 0 {
		return best
	}
	word := strings.LastIndexAny(line[:best], " \t<>\"'`(") + 1
	if i := strings.Index(line[word:], "http"); i >= 0 && word+i < best && strings.ContainsAny(line[word+i:best], "/?=") {
		return word + i // the last mark is inside the parameters of an earlier link
	}
	return best
}

func closerFor(before string) byte {
	switch {
	case strings.HasSuffix(before, "<"):
		return '>'
	case strings.HasSuffix(before, `="`):
		return '"'
	case strings.HasSuffix(before, `='`):
		return '\''
	case strings.HasSuffix(before, "]("):
		return ')'
	}
	return 0
}

// linkRun returns how many bytes at the start of s could be in a link.
func linkRun(s string) int {
	for i, r := range s {
		if r <= ' ' || r == 0x7f || unicode.IsSpace(r) || strings.ContainsRune("<>\"`|\\{}“”„‘’«»", r) {
			return i
		}
	}
	return len(s)
}

// wrap decides whether a line continues the link at the end of the line before it.
type wrap struct {
	link   string
	width  int // of the line before
	full   int // the width that all lines of this link have, 0 for a single line, -1 where they differ
	joined int // how many lines were joined to the link
}

func (w *wrap) take(part string, width int) {
	if w.joined == 0 || w.full == w.width {
		w.full = w.width
	} else {
		w.full = -1
	}
	w.link, w.width = part, width
	w.joined++
}

// Widths of lines in characters. No mail program wraps lines at fewer than narrowest. A line end is no wrap if the line
// and the beginning of the next one, up to its first space, together have at most usual: both would have fitted on one
// line.
const (
	narrowest = 30
	usual     = 60
)

func (w *wrap) goesOn(next string) bool {
	part := next[:linkRun(next)]
	if part == "" || w.width < narrowest || startsAnew(part) {
		return false
	}
	if brokenEscape(w.link) && isHex(part[0]) {
		return true
	}
	alone := strings.TrimSpace(next[len(part):]) == ""
	if w.joined > 0 && w.full > 0 {
		if w.width == w.full {
			return alone || !isProse(part)
		}
		if w.width < w.full-12 {
			return false // a line this much shorter than the others was the last
		}
	}
	if w.width+utf8.RuneCountInString(part) <= usual {
		return false // it would have fitted on the line before
	}
	return w.continues(part, alone)
}

// continues reports whether part, the beginning of the next line, is written like the rest of the link. alone is true
// if nothing else is on that line.
func (w *wrap) continues(part string, alone bool) bool {
	switch {
	case strings.ContainsAny(part, "=&%?") || strings.ContainsAny(w.link[len(w.link)-1:], "=&?%"):
		return !isProse(part) || alone
	case isProse(part):
		return alone && w.width >= 72 && strings.Contains(w.link, "?") && !isClosing(part)
	case !alone:
		return strings.ContainsAny(part, "/_") && lexicon.HasDigit(part)
	}
	return true
}

// startsAnew reports whether a part, which must not be empty, cannot be the rest of a link: it is another link, a
// label, an address, a date, a bullet or a bare domain.
func startsAnew(part string) bool {
	switch {
	case HasScheme(part), lexicon.HasPrefixFold(part, "www."),
		strings.Contains(part, "@") && !strings.ContainsAny(part, "=&%"):
		return true
	case strings.HasSuffix(part, ":"), strings.ContainsAny(part[:1], "([*+,;:!'") && !strings.ContainsAny(part, "=&%"):
		return true
	case strings.Trim(part, "-–—•_=~") == "":
		return true
	case strings.Trim(part, "0123456789-./:,") == "" && len(part) < 12:
		return true
	}
	return looksLikeDomain(part)
}

// looksLikeDomain reports whether a part is a domain, such as "acme.io/deck", rather than the middle of a link.
func looksLikeDomain(part string) bool {
	host, _, _ := strings.Cut(part, "/")
	name, tld := host, ""
	if i := strings.LastIndexByte(host, '.'); i > 0 {
		name, tld = host[:i], host[i+1:]
	}
	if len(tld) < 2 || len(tld) > 6 || strings.ToLower(host) != host || IsFileExtension(tld) {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") == "" &&
		strings.Trim(tld, "abcdefghijklmnopqrstuvwxyz") == ""
}

// IsFileExtension reports whether a word in lower case, such as "pdf", is the ending of a file rather than a top-level
// domain.
func IsFileExtension(s string) bool {
	return lexicon.In("file endings", s)
}

// isProse reports whether a part of at most 24 bytes is a word of a sentence ("Regards,", "we've", "Founder/CEO")
// rather than a piece of a link. It reports false for a longer one.
func isProse(part string) bool {
	part = strings.TrimRight(part, ".,;:!?)…")
	lower := false
	for i, r := range part {
		switch {
		case unicode.IsUpper(r) && lower && !strings.ContainsAny(part[i-1:i], "-/'’"):
			return false // aB
		case unicode.IsLetter(r):
			lower = unicode.IsLower(r) || lower
		case r == '-' || r == '\'' || r == '’' || r == '/' && i > 0 && i < len(part)-1:
			lower = false
		default:
			return false
		}
	}
	return len(part) <= 24
}

// isClosing reports whether a part is a word that ends a letter, or begins with a capital, rather than the last letters
// of a link. part must not be empty.
func isClosing(part string) bool {
	if lexicon.In("words beside links", strings.ToLower(strings.Trim(part, ".,;:!?-"))) {
		return true
	}
	return unicode.IsUpper([]rune(part)[0])
}

// brokenEscape reports whether a link ends inside an escape such as "%2F".
func brokenEscape(link string) bool {
	n := len(link)
	return strings.HasSuffix(link, "%") || n > 1 && link[n-2] == '%' && isHex(link[n-1])
}
