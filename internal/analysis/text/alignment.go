package text

import (
	"strings"

	"dealflow/internal/analysis/lexicon"
)

// Alignment maps the words of the parsed text to those of the text as sent. Decoding, links and quote marks make these
// texts differ.
type Alignment struct {
	words, sentWords []lexicon.Token
	to               []int32 // for each of words its index in sentWords, -1 for none
	body             string
}

// Align matches the words of the parsed text with the words of the text as sent. Where they differ, it looks for the
// nearest offset from which up to three words are the same again. The time is bounded, so words after a long difference
// may not be matched. rd must come from Reader.Read.
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
// below 4000, until they agree again. It returns 1, 0 if they do not. It reduces patience by its work, and also returns
// 1, 0 when patience falls below 0.
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

// sent returns the bytes of the text as sent for the bytes from start to end of the parsed text, extended to whole
// words. If they are far more than end-start, it returns only the first word that it finds; if it finds none, 0, 0.
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

// before returns the byte at which word i begins in the text as sent. If that is unknown, it returns where the word
// after the last known one begins, 0 if none before i is known.
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
