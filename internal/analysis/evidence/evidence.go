package evidence

import (
	"strings"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// Features are the values from which the confidence of a decision is computed, by the names in calibration.json.
type Features map[string]float64

// Set sets a feature to 1 if holds is true; otherwise it does nothing.
func (f Features) Set(name string, holds bool) {
	if holds {
		f[name] = 1
	}
}

// Decision is the value of a field, "" for none, with its evidence. Field and Confidence, from 0 to 1, are set by
// package rules after all decisions were made.
type Decision struct {
	Field, Value string
	Reasoning    string
	At           text.Span
	Features     Features // nil if the field was not requested, or there was nothing to decide
	Confidence   float64

	Meaning, Phrase string // of a status: the meaning of the text for the deal's stage, and the words with it, folded
	Channel         string // of a source: the words that say how the text arrived, folded
}

// SpanOnPage returns the span of the line that contains the words, in any case, on the first page that has them. number
// is the number of the document, from 1. If no page has the words, or if words is "", only Doc is set.
func SpanOnPage(d analysis.Document, number int, words string) text.Span {
	for i, page := range d.Pages {
		at := lexicon.IndexFold(page, words)
		if words == "" || at < 0 {
			continue
		}
		start := strings.LastIndexByte(page[:at], '\n') + 1
		end := len(page)
		if n := strings.IndexByte(page[at+len(words):], '\n'); n >= 0 {
			end = at + len(words) + n
		}
		return text.Span{Doc: number, Page: i + 1, Quote: strings.TrimSpace(page[start:end])}
	}
	return text.Span{Doc: number}
}

// Anywhere returns the span of the words: in the parsed text, else in the first document that has them. If no document
// has them either, only Literal is set. The span is empty if words is "".
func Anywhere(rd *text.Text, in analysis.Input, words string) text.Span {
	at := rd.SpanOfName(words, 0)
	for i, d := range in.Documents {
		if on := SpanOnPage(d, i+1, words); at.End == 0 && on.Quote != "" {
			return on
		}
	}
	return at
}
