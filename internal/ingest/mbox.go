package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// mboxSplitter cuts a mailbox at its lines "From sender date". A line of a message that looks like one but is not behind a blank line, or tells no
// date, belongs to the message, as careless programs do not quote them.
type mboxSplitter struct {
	in    *bufio.Reader
	limit int

	message []byte
	over    bool
	begun   bool // a line "From " was seen
	ended   bool
}

func (*mboxSplitter) header() *header { return nil }

func (s *mboxSplitter) next() (record, error) {
	if s.ended {
		return record{}, io.EOF
	}
	s.message, s.over = s.message[:0], false
	blank, inside := true, false // the line before was blank; a line goes on
	for {
		part, err := s.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return record{}, err
		}
		isBlank := !inside && len(bytes.TrimRight(part, "\r\n")) == 0
		switch {
		case !inside && (blank || !s.begun) && isMboxLine(part):
			if s.begun {
				return s.cut(), nil
			}
			s.begun = true
		case s.begun:
			s.keep(part)
		case !isBlank:
			return record{}, fileError(`the file is no mbox: it does not begin with a line "From sender date"`)
		}
		if errors.Is(err, io.EOF) {
			s.ended = true
			if !s.begun {
				return record{}, io.EOF
			}
			return s.cut(), nil
		}
		inside = errors.Is(err, bufio.ErrBufferFull)
		blank = isBlank && !inside
	}
}

func (s *mboxSplitter) keep(part []byte) {
	if s.over = s.over || len(s.message)+len(part) > s.limit; s.over {
		s.message = s.message[:0]
		return
	}
	s.message = append(s.message, part...)
}

// cut gives the message without the blank line that stands before the next.
func (s *mboxSplitter) cut() record {
	if s.over {
		return record{problem: rowTooLarge(s.limit)}
	}
	message := bytes.TrimSuffix(s.message, []byte("\r\n\r\n"))
	if len(message) == len(s.message) {
		message = bytes.TrimSuffix(s.message, []byte("\n\n"))
	}
	return record{raw: message}
}

// isMboxLine tells whether a line begins a message: "From ", a sender, and a date with a time and a year.
func isMboxLine(line []byte) bool {
	rest, found := bytes.CutPrefix(line, []byte("From "))
	if !found {
		return false
	}
	time, year := false, false
	for word := range bytes.FieldsSeq(rest[:min(len(rest), 1000)]) {
		digits := 0
		for digits < len(word) && word[digits] >= '0' && word[digits] <= '9' {
			digits++
		}
		time = time || digits >= 1 && digits <= 2 && digits+2 < len(word) && word[digits] == ':'
		year = year || digits == 4 && len(word) == 4
	}
	return time && year
}

// unquoteMbox takes the mark off lines that a mailbox quotes, ">From " and in mboxrd ">>From " too.
func unquoteMbox(message []byte) []byte {
	if !bytes.Contains(message, []byte(">From ")) {
		return message
	}
	plain := make([]byte, 0, len(message))
	for line := range bytes.Lines(message) {
		if bytes.HasPrefix(line, []byte(">")) && bytes.HasPrefix(bytes.TrimLeft(line, ">"), []byte("From ")) {
			line = line[1:]
		}
		plain = append(plain, line...)
	}
	return plain
}
