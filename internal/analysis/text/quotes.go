package text

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/clean"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
)

// Quoted returns the words of a span as they are in the text as sent, and the characters of that text at which they
// start and end. al must be the result of Align for rd. If the middle of a very long text was left out, a span around
// it ends before it. Quoted returns "", 0, 0 if the words are not found.
func (rd *Text) Quoted(p Span, al *Alignment) (quote string, start, end int) {
	from, to := 0, 0
	if p.End > p.Start {
		from, to = al.sent(p.Start, p.End)
	}
	if from == to && p.Literal != "" {
		from, to = rd.literally(p.Literal)
	}
	if from >= to {
		return "", 0, 0
	}
	if rd.cutAt > 0 && from < rd.cutAt && to > rd.cutAt {
		to = rd.cutAt // the words on both sides of what was left out are not one phrase
	}
	quote = rd.sent[from:to]
	start = utf8.RuneCountInString(rd.sent[:from])
	if rd.cutAt > 0 && from >= rd.cutAt {
		start += rd.missingRunes
	}
	return quote, start, start + utf8.RuneCountInString(quote)
}

// literally returns the bytes of the text as sent that contain words or a link, in any case; 0, 0 if it finds none. Of
// a link that was sent in another spelling, it finds the beginning. Of words that the text does not have in one piece,
// it finds the first word.
func (rd *Text) literally(words string) (from, to int) {
	if i := lexicon.IndexFold(rd.sent, words); i >= 0 {
		return i, i + len(words)
	}
	host, path := links.SplitLink(words)
	if host == "" || !clean.HasScheme(words) {
		first := lexicon.FirstWord(words)
		if i := lexicon.IndexFold(rd.sent, first); i >= 0 && first != "" {
			return i, i + len(first)
		}
		return 0, 0
	}
	if i := strings.IndexAny(path, "?&=%#"); i >= 0 {
		path = path[:i]
	}
	for _, start := range []string{
		"https://" + host + path, "http://" + host + path, host + path, url.QueryEscape(host + path), host,
	} {
		if i := lexicon.IndexFold(rd.sent, start); i >= 0 {
			return i, i + len(start) + linkEnd(rd.sent[i+len(start):])
		}
	}
	return 0, 0
}

// linkEnd returns how many bytes of rest belong to a link that began before it.
func linkEnd(rest string) int {
	if i := strings.IndexAny(rest, " \t\r\n\"'<>)]"); i >= 0 {
		return i
	}
	return len(rest)
}

// Quote returns the words of a hit, with the words around them that SpanOf includes, on one line and without links.
func (rd *Text) Quote(h lexicon.Hit) string {
	at := rd.SpanOf(h)
	return strings.Join(strings.Fields(strings.ReplaceAll(rd.Body[at.Start:at.End], string(Mask), " ")), " ")
}
