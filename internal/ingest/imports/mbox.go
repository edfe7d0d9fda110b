package imports

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// mboxSplitter splits an mbox file into messages at its lines "From sender date". Some programs do not quote such a
// line within a message, and some do not write a blank line before such a line that begins a message. So mboxSplitter
// also looks at the lines before and after it.
type mboxSplitter struct {
	in    *bufio.Reader
	limit int

	message []byte
	over    bool
	begun   bool // a line "From sender date" was read
	ended   bool
}

func (*mboxSplitter) header() *header { return nil }

func (s *mboxSplitter) next() (record, error) {
	if s.ended {
		return record{}, io.EOF
	}
	empty(&s.message)
	s.over = false
	blank, inside := true, false // the line before was blank; the part before was of the same line
	for {
		part, cut, ended, err := s.piece()
		if err != nil {
			return record{}, err
		}
		whole := !inside && !cut
		isBlank := whole && len(bytes.TrimRight(part, "\r\n")) == 0
		begins := false
		if whole && bytes.HasPrefix(part, []byte("From ")) {
			part = bytes.Clone(part) // begins looks ahead, which overwrites it
			begins = s.begins(part, blank || !s.begun)
		}
		switch {
		case begins && s.begun:
			return s.cut(), nil
		case begins:
			s.begun = true
		case s.begun:
			s.keep(part)
		case !isBlank:
			return record{}, fileError(`the file is no mbox: it does not begin with a line "From sender date"`)
		}
		if ended {
			return s.end()
		}
		inside = cut
		blank = isBlank
	}
}

// piece reads to the end of a line, or as much as the buffer holds. cut reports whether the line continues, and ended
// whether the file has ended. part is valid until the next read.
func (s *mboxSplitter) piece() (part []byte, cut, ended bool, err error) {
	part, err = s.in.ReadSlice('\n')
	cut, ended = errors.Is(err, bufio.ErrBufferFull), errors.Is(err, io.EOF)
	if cut || ended {
		err = nil
	}
	return part, cut, ended, err
}

// end returns the last message of the file, or io.EOF if there is none.
func (s *mboxSplitter) end() (record, error) {
	s.ended = true
	if !s.begun {
		return record{}, io.EOF
	}
	return s.cut(), nil
}

func (s *mboxSplitter) keep(part []byte) {
	if s.over = s.over || len(s.message)+len(part) > s.limit; s.over {
		empty(&s.message)
		return
	}
	s.message = extended(s.message, part, s.limit)
}

// begins reports whether a line "From …" begins a message. After a blank line it must have an exact date (see
// mboxDate), or an address, any date and a header in the next line. After any other line it must have an exact date and
// a header in the next line.
func (s *mboxSplitter) begins(line []byte, afterBlank bool) bool {
	dated, exact := mboxDate(line)
	if !dated {
		return false
	}
	next, _ := s.in.Peek(headerPeek) // the next read returns the error
	next, _, _ = bytes.Cut(next, []byte("\n"))
	if exact && afterBlank {
		return true
	}
	name, _, found := bytes.Cut(next, []byte(":"))
	isHeader := found && len(name) > 0 && !bytes.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' })
	return isHeader && (exact || afterBlank && bytes.ContainsRune(line, '@'))
}

// headerPeek is how many bytes of the next line are searched for the name of a header.
const headerPeek = 80

// cut returns the message that was read, without the blank line at its end, or a record that says that it is too large.
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

// mboxDate reports whether a line "From sender date" has a time and a year (dated), and whether it also has the names
// of a day and a month (exact), as in "Mon Jan 2 15:04:05 2006".
func mboxDate(line []byte) (dated, exact bool) {
	time, year, day, month := false, false, false, false
	for word := range bytes.FieldsSeq(line[len("From "):min(len(line), 1000)]) {
		digits := len(word) - len(bytes.TrimLeft(word, "0123456789"))
		time = time || digits >= 1 && digits <= 2 && digits+2 < len(word) && word[digits] == ':'
		year = year || digits == 4 && len(word) == 4
		word = bytes.TrimSuffix(word, []byte(","))
		day = day || isOneOf(word, "MonTueWedThuFriSatSun")
		month = month || isOneOf(word, "JanFebMarAprMayJunJulAugSepOctNovDec")
	}
	return time && year, time && year && day && month
}

// isOneOf reports whether a word is one of the names in names, which have three letters each and no spaces between
// them.
func isOneOf(word []byte, names string) bool {
	at := strings.Index(names, string(word))
	return len(word) == 3 && at >= 0 && at%3 == 0
}

// unquoteMbox removes one ">" from each line that begins with ">From ", ">>From " and so on: mbox files quote lines
// that begin with "From " in this way.
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
