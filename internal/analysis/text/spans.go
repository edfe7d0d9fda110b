package text

import (
	"sort"
	"strings"

	"dealflow/internal/analysis/lexicon"
)

// Span is where the evidence of a decision is: from byte Start up to, not including, End of the parsed text, or, if Doc
// is above 0, on a page of a document, whose words are Quote. Literal is a text to look for in the text as sent, if the
// words, such as those of a link, are not in the parsed text.
type Span struct {
	Start, End int
	Literal    string
	Doc, Page  int // the number of the document, and of its page, from 1
	Quote      string
}

func (p Span) isNone() bool { return p == Span{} }

// Or returns p, or other if p is empty.
func (p Span) Or(other Span) Span {
	if p.isNone() {
		return other
	}
	return p
}

// Clue is a phrase of a text that points to a source, and where it is. Ok is false if there is none.
type Clue struct {
	Ok    bool
	Quote string
	At    Span
}

// Opening returns the span of the first 13 words of the first sentence that is longer than a greeting of three words,
// or of the first sentence if none is. A text without words is returned whole. Opening is the span of a decision that
// is not based on any words.
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

// FirstField returns the span of the first answer of a questionnaire that is not empty, as SpanOfName returns it; the
// Opening if there is none.
func (rd *Text) FirstField() Span {
	for _, f := range rd.Fields {
		if at := rd.SpanOfName(f.Value, f.Start); !at.isNone() {
			return at
		}
	}
	return rd.Opening()
}

// SpanOfName returns where a name is, in any case: the first place from byte start on or, if there is none, the first
// in the whole text. The span includes a few words around the name, except in the header of a mail and inside a word.
// If the text does not have the name, only Literal is set. The span is empty if name is "" or start is beyond the end
// of the text.
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
	return Span{Start: start, End: end} // in the header of a mail
}

// SpanOf returns where the words of a hit are, with up to three words of their sentence before and four after them.
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
