package pdftext

import (
	"fmt"
)

// reader is one of the two ways to read a document. read passes each page to the sink and returns the last event.
type reader interface {
	read(doc []byte, to *sink) event
}

// sink sends pages to the parent as they are read, so that the parent has the first ones even if a later one crashes
// this process.
type sink struct {
	link
	pages int // pages that may still be sent
	bytes int // bytes of text that may still be sent
}

// room reports whether another page may be sent.
func (s *sink) room() bool { return s.pages > 0 && s.bytes > 0 }

// skip counts a page that cannot be sent.
func (s *sink) skip() { s.pages-- }

// page sends the text of page n, which counts from 0, cut to the bytes that are left, and reports whether all of it was
// sent. It counts the page in any case.
func (s *sink) page(n int, text string) bool {
	whole := len(text) <= s.bytes
	if !whole {
		text = text[:s.bytes]
	}
	s.pages--
	s.bytes -= len(text)
	return s.send(event{Kind: kindPage, Page: n, Text: text}) == nil && whole
}

// head returns the first 1000 bytes of a text, since the file decides its length. A character at the end may be cut.
func head(text string) string { return text[:min(len(text), 1000)] }

// recoverTo replaces done, after a panic, by an event that reports it. It must be deferred itself, since it calls
// recover. The child must not be used after a panic, since the state of its readers is unknown.
func recoverTo(done *event) {
	if r := recover(); r != nil {
		*done = event{Kind: kindDone, Fault: faultCrashed, Detail: fmt.Sprint(r), Spent: true}
	}
}

// failure returns an event with a fault and its cause added, or unchanged if err is nil.
func failure(e event, fault string, err error) event {
	if err != nil {
		e.Fault, e.Detail = fault, err.Error()
	}
	return e
}
