package analysis

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// place is where a decision rests: bytes of the reading's text; of a document's page where doc is above 0. Literal is
// what to look for in the text as sent where the reading has no words for it, as for what is in a link.
type place struct {
	start, end int
	literal    string
	doc, page  int // the number of the document, and of its page, from 1
	quote      string
}

func (p place) isNone() bool { return p == place{} }

func (p place) or(other place) place {
	if p.isNone() {
		return other
	}
	return p
}

// opening returns the beginning of the first sentence that is more than a greeting: what a decision rests on that no
// word made.
func (rd *reading) opening() place {
	const most, greeting = 13, 3
	tokens := rd.tokens
	if len(tokens) == 0 {
		return place{end: len(rd.text)}
	}
	longest := place{}
	for first := 0; first < len(tokens); {
		last := first + 1
		for last < len(tokens) && tokens[last].sentence == tokens[first].sentence {
			last++
		}
		if longest.end == 0 || last-first > greeting {
			longest = place{start: tokens[first].start, end: tokens[min(last, first+most)-1].end}
		}
		if last-first > greeting {
			break
		}
		first = last
	}
	return longest
}

// firstHead returns the first line of the first mail's head.
func (rd *reading) firstHead() place {
	if len(rd.mails) == 0 {
		return rd.opening()
	}
	h := rd.mails[0]
	line, _, _ := strings.Cut(rd.text[h.start:h.end], "\n")
	return place{start: h.start, end: h.start + len(line)}
}

// firstField returns the first answer of a questionnaire.
func (rd *reading) firstField() place {
	for _, f := range rd.fields {
		if at := rd.placeOfName(f.value, f.start); !at.isNone() {
			return at
		}
	}
	return rd.opening()
}

// placeOfName returns where a name is in the text, the place at or behind start before any other, with a few words
// around it where those of its sentence are known.
func (rd *reading) placeOfName(name string, start int) place {
	if name == "" || start > len(rd.text) {
		return place{}
	}
	i := indexFold(rd.text[start:], name)
	if i < 0 {
		start = 0
		if i = indexFold(rd.text, name); i < 0 {
			return place{literal: name}
		}
	}
	start += i
	end := start + len(name)
	first, last := rd.tokenAt(start), rd.tokenAt(end)
	if first < last && rd.tokens[first].start == start && end-rd.tokens[last-1].end >= 0 {
		return rd.placeOf(hit{first: first, last: last})
	}
	return place{start: start, end: end} // in the head of a mail
}

// indexFold finds a text in any case; it is told apart from its own length only by letters that change it in lower
// case, which no name of a person or company is worth the loss of speed for.
func indexFold(s, what string) int {
	if i := strings.Index(s, what); i >= 0 {
		return i
	}
	lower, wanted := strings.ToLower(s), strings.ToLower(what)
	if len(lower) != len(s) || len(wanted) != len(what) {
		return -1
	}
	return strings.Index(lower, wanted)
}

// quoted returns the words of a place as they are in the text as sent, and from and up to which character.
func (rd *reading) quoted(p place, al *alignment) (quote string, start, end int) {
	from, to := 0, 0
	if p.end > p.start {
		from, to = al.sent(p.start, p.end)
	}
	if from == to && p.literal != "" {
		from, to = rd.literally(p.literal)
	}
	if from >= to {
		return "", 0, 0
	}
	if rd.cutAt > 0 && from < rd.cutAt && to > rd.cutAt {
		to = rd.cutAt // the words on both sides of what was left out do not stand together
	}
	quote = rd.sent[from:to]
	start = utf8.RuneCountInString(rd.sent[:from])
	if rd.cutAt > 0 && from >= rd.cutAt {
		start += rd.missingRunes
	}
	return quote, start, start + utf8.RuneCountInString(quote)
}

// literally finds words or a link in the text as sent. Of a link that was sent in another writing, its beginning is
// found; of a name that was put together, its first word.
func (rd *reading) literally(words string) (from, to int) {
	if i := indexFold(rd.sent, words); i >= 0 {
		return i, i + len(words)
	}
	host, path := splitLink(words)
	if host == "" || !hasScheme(words) {
		first := firstWord(words)
		if i := indexFold(rd.sent, first); i >= 0 && first != "" {
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
		if i := indexFold(rd.sent, start); i >= 0 {
			return i, i + len(start) + linkEnd(rd.sent[i+len(start):])
		}
	}
	return 0, 0
}

// linkEnd returns how far a link goes on.
func linkEnd(rest string) int {
	if i := strings.IndexAny(rest, " \t\r\n\"'<>)]"); i >= 0 {
		return i
	}
	return len(rest)
}

// alignment leads from the words of a reading back to the text as sent, from which decoding, links and quote marks part
// it.
type alignment struct {
	words, sentWords []token
	to               []int32 // by word of the reading: the word of the text, -1 for none
	body             string
}

// align matches the words of the reading with those of the text as sent. Most follow each other in both; where they do
// not, the nearest place is looked for from which some words agree again, for a bounded time.
func align(rd *reading) *alignment {
	al := &alignment{words: rd.tokens, sentWords: tokenize(rd.sent), body: rd.text}
	if rd.body != rd.text {
		al.words = tokenize(rd.text) // the heads of mails and the speakers of a chat too, which the body lacks
	}
	al.to = make([]int32, len(al.words))
	for i := range al.to {
		al.to[i] = -1
	}
	patience := 64 * (len(al.words) + len(al.sentWords))
	for i, j := 0, 0; i < len(al.words) && j < len(al.sentWords); {
		if al.words[i].folded == al.sentWords[j].folded {
			al.to[i] = int32(j)
			i, j = i+1, j+1
			continue
		}
		di, dj := al.resume(i, j, &patience)
		i, j = i+di, j+dj
	}
	return al
}

// resume gives how many words to leave out on either side to go on.
func (al *alignment) resume(i, j int, patience *int) (di, dj int) {
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

// agree reports whether the next words, up to three and up to the next link, are the same.
func (al *alignment) agree(i, j int) bool {
	const enough = 3
	for n := range enough {
		if i+n >= len(al.words) {
			return n > 0
		}
		if n > 0 && strings.ContainsRune(al.body[al.words[i+n-1].end:al.words[i+n].start], mask) {
			return true
		}
		if j+n >= len(al.sentWords) || al.words[i+n].folded != al.sentWords[j+n].folded {
			return false
		}
	}
	return true
}

// sent returns the bytes of the text as sent that say what the reading says from start to end; 0, 0 where it cannot
// tell.
func (al *alignment) sent(start, end int) (from, to int) {
	first, last := al.wordAt(start), al.wordAt(end)-1
	for last+1 < len(al.words) && al.words[last+1].start < end {
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
	return t.start, t.end
}

func (al *alignment) wordAt(at int) int {
	low, high := 0, len(al.words)
	for low < high {
		if mid := (low + high) / 2; al.words[mid].end <= at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// before returns where the word begins in the text: where that is not known, behind the last word before it that is.
func (al *alignment) before(i int) int {
	if al.to[i] >= 0 {
		return al.sentWords[al.to[i]].start
	}
	for n := i - 1; n >= 0; n-- {
		if j := al.to[n]; j >= 0 && int(j)+1 < len(al.sentWords) {
			return al.sentWords[j+1].start
		}
	}
	return 0
}

func (al *alignment) behind(i int) int {
	if al.to[i] >= 0 {
		return al.sentWords[al.to[i]].end
	}
	for n := i + 1; n < len(al.to); n++ {
		if j := al.to[n]; j > 0 {
			return al.sentWords[j-1].end
		}
	}
	return 0
}
