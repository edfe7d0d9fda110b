package text

import (
	"net/url"
	"sort"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/clean"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
)

// Opening returns the first 13 words of the first sentence that is longer than a greeting, or of the first sentence if
// none is. It is the span of a decision that is not based on any words.
func (rd *Text) Opening() Span {
	const most, greeting = 13, 3
	tokens := rd.Tokens
	if len(tokens) == 0 {
		return Span{End: len(rd.Plain)}
	}
	longest := Span{}
	for first := 0; first < len(tokens); {
		last := first + 1
		for last < len(tokens) && tokens[last].Sentence == tokens[first].Sentence {
			last++
		}
		if longest.End == 0 || last-first > greeting {
			longest = Span{Start: tokens[first].Start, End: tokens[min(last, first+most)-1].End}
		}
		if last-first > greeting {
			break
		}
		first = last
	}
	return longest
}

// FirstHead returns the span of the first line of the first mail's header, the Opening if there is no mail.
func (rd *Text) FirstHead() Span {
	if len(rd.Mails) == 0 {
		return rd.Opening()
	}
	h := rd.Mails[0]
	line, _, _ := strings.Cut(rd.Plain[h.Start:h.end], "\n")
	return Span{Start: h.Start, End: h.Start + len(line)}
}

// FirstField returns the span of the first answer of a questionnaire that is found in the text, the Opening if there is
// none.
func (rd *Text) FirstField() Span {
	for _, f := range rd.Fields {
		if at := rd.SpanOfName(f.Value, f.Start); !at.isNone() {
			return at
		}
	}
	return rd.Opening()
}

// SpanOfName returns where a name is in the text, from byte start on if it is there, else anywhere. The span includes
// a few words around the name, except in the header of a mail. If the text does not have the name, only Literal is set.
func (rd *Text) SpanOfName(name string, start int) Span {
	if name == "" || start > len(rd.Plain) {
		return Span{}
	}
	i := lexicon.IndexFold(rd.Plain[start:], name)
	if i < 0 {
		start = 0
		if i = lexicon.IndexFold(rd.Plain, name); i < 0 {
			return Span{Literal: name}
		}
	}
	start += i
	end := start + len(name)
	first, last := rd.TokenAt(start), rd.TokenAt(end)
	if first < last && rd.Tokens[first].Start == start && end-rd.Tokens[last-1].End >= 0 {
		return rd.SpanOf(lexicon.Hit{First: first, Last: last})
	}
	return Span{Start: start, End: end} // in the head of a mail
}

// Quoted returns the words of a span as they are in the text as sent, and the characters of that text at which they
// start and end. If a very long text was shortened, the words end where its middle is missing. Quoted returns "", 0, 0
// if the words are not found.
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

// literally returns the bytes of the text as sent that hold words or a link; 0, 0 if it finds none. If a link was sent
// in another spelling, it finds the beginning of the link; if the text does not have a name in one piece, it finds the
// name's first word.
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

// Alignment maps the words of the parsed text to those of the text as sent. Decoding, links and quote marks make the
// two differ.
type Alignment struct {
	words, sentWords []lexicon.Token
	to               []int32 // for each of words its index in sentWords, -1 for none
	body             string
}

// Align matches the words of the parsed text with the words of the text as sent. Where they differ, it looks for the
// nearest offset from which up to three words are the same again. The time is bounded, so words after a long difference
// may not be matched.
func Align(rd *Text) *Alignment {
	al := &Alignment{words: rd.Tokens, sentWords: lexicon.Tokenize(rd.sent), body: rd.Plain}
	if rd.Body != rd.Plain {
		al.words = lexicon.Tokenize(rd.Plain) // the heads of mails and the speakers of a chat too, which the body lacks
	}
	al.to = make([]int32, len(al.words))
	for i := range al.to {
		al.to[i] = -1
	}
	patience := 64 * (len(al.words) + len(al.sentWords))
	for i, j := 0, 0; i < len(al.words) && j < len(al.sentWords); {
		if al.words[i].Folded == al.sentWords[j].Folded {
			al.to[i] = int32(j)
			i, j = i+1, j+1
			continue
		}
		di, dj := al.resume(i, j, &patience)
		i, j = i+di, j+dj
	}
	return al
}

// resume returns how many words to skip from i on in the parsed text, at most 3, and from j on in the text as sent,
// below 4000, until they agree again. It returns 1, 0 if they do not, or if patience runs out.
func (al *Alignment) resume(i, j int, patience *int) (di, dj int) {
	const farthest, altered = 4000, 3
	for dj = 0; dj < farthest && j+dj < len(al.sentWords); dj++ {
		if *patience -= altered; *patience < 0 {
			return 1, 0
		}
		for di = 0; di <= altered && i+di < len(al.words); di++ {
			if al.agree(i+di, j+dj) {
				return di, dj
			}
		}
	}
	return 1, 0
}

// agree reports whether the words from i and j on, up to three and up to the next link, are the same.
func (al *Alignment) agree(i, j int) bool {
	const enough = 3
	for n := range enough {
		if i+n >= len(al.words) {
			return n > 0
		}
		if n > 0 && strings.ContainsRune(al.body[al.words[i+n-1].End:al.words[i+n].Start], Mask) {
			return true
		}
		if j+n >= len(al.sentWords) || al.words[i+n].Folded != al.sentWords[j+n].Folded {
			return false
		}
	}
	return true
}

// sent returns the bytes of the text as sent for the bytes from start to end of the parsed text; 0, 0 if they are not
// found.
func (al *Alignment) sent(start, end int) (from, to int) {
	first, last := al.wordAt(start), al.wordAt(end)-1
	for last+1 < len(al.words) && al.words[last+1].Start < end {
		last++
	}
	if first > last || first >= len(al.words) {
		return 0, 0
	}
	from, to = al.before(first), al.behind(last)
	if longest := 3*(end-start) + 200; to-from <= longest && from < to {
		return from, to
	}
	for first <= last && al.to[first] < 0 { // what is between is lost; the first word that is found must do
		first++
	}
	if first > last {
		return 0, 0
	}
	t := al.sentWords[al.to[first]]
	return t.Start, t.End
}

func (al *Alignment) wordAt(at int) int {
	low, high := 0, len(al.words)
	for low < high {
		if mid := (low + high) / 2; al.words[mid].End <= at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// before returns where word i begins in the text as sent. If that is unknown, it returns where the word after the last
// known one begins.
func (al *Alignment) before(i int) int {
	if al.to[i] >= 0 {
		return al.sentWords[al.to[i]].Start
	}
	for n := i - 1; n >= 0; n-- {
		if j := al.to[n]; j >= 0 && int(j)+1 < len(al.sentWords) {
			return al.sentWords[j+1].Start
		}
	}
	return 0
}

func (al *Alignment) behind(i int) int {
	if al.to[i] >= 0 {
		return al.sentWords[al.to[i]].End
	}
	for n := i + 1; n < len(al.to); n++ {
		if j := al.to[n]; j > 0 {
			return al.sentWords[j-1].End
		}
	}
	return 0
}

// SpanOf returns where the words of a hit are, with a few of its sentence around them.
func (rd *Text) SpanOf(h lexicon.Hit) Span {
	first, last := h.First, h.Last-1
	for n := 0; n < 3 && first > 0 && rd.Tokens[first-1].Sentence == rd.Tokens[h.First].Sentence; n++ {
		first--
	}
	for n := 0; n < 4 && last+1 < len(rd.Tokens) && rd.Tokens[last+1].Sentence == rd.Tokens[h.First].Sentence; n++ {
		last++
	}
	return Span{Start: rd.Tokens[first].Start, End: rd.Tokens[last].End}
}

// TokenAt returns the index of the first token that begins at byte at or after it; len(rd.Tokens) if there is none.
func (rd *Text) TokenAt(at int) int {
	return sort.Search(len(rd.Tokens), func(i int) bool { return rd.Tokens[i].Start >= at })
}

// Quote returns the words of a hit as they are in the text, with a few around them, on one line.
func (rd *Text) Quote(h lexicon.Hit) string {
	at := rd.SpanOf(h)
	return strings.Join(strings.Fields(strings.ReplaceAll(rd.Body[at.Start:at.End], string(Mask), " ")), " ")
}
