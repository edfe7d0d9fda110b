package imports

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"dealflow/internal/company/aicreation"
)

// csvSplitter splits CSV (RFC 4180) into rows, at the line ends outside of quotes. It skips blank rows. If a quote is
// not closed, or is closed before the end of a field, the line on which the row begins is a bad row, and the next line
// begins a new one. It skips all of a row that is too large, unless holdsRows reports that a quote joined many rows.
type csvSplitter struct {
	in    *bufio.Reader
	limit int
	kind  string

	head    *header
	comma   byte
	lineEnd byte   // line feed, or carriage return in files of old Macs
	pending []byte // bytes read; those before start belong to earlier rows
	start   int    // index in pending where the row begins
	at      int    // index in pending up to which scan has looked
	state   csvState
	ended   bool
	read    int // bytes of the file
	again   int // bytes that are looked at once more, since a quote before them was wrong
}

// csvState is where in a field the splitter is.
type csvState int

const (
	fieldStart csvState = iota
	inField
	inQuotes
	afterQuote // after a quote in a quoted field: the quote ends the field, or is the first half of a doubled quote
)

// mostAgain limits how many bytes may be scanned again, to the size of the file plus mostAgain times the limit of a
// row. Without a limit, a file of wrong quotes would take time in the square of its size.
const mostAgain = 8

const brokenQuotes = "its double quotes are wrong: a field that begins with one must end with one, and each one " +
	`between must be written twice, as in "a 5"" disk"`

func newCSVSplitter(in *bufio.Reader, limit int, kind string) *csvSplitter {
	return &csvSplitter{in: in, limit: limit, kind: kind}
}

func (s *csvSplitter) header() *header { return s.head }

func (s *csvSplitter) next() (record, error) {
	if s.head == nil {
		if err := s.readHeader(); err != nil {
			return record{}, err
		}
	}
	for {
		found, err := s.cut()
		if err != nil || found.problem != "" || len(bytes.TrimSpace(found.raw)) > 0 {
			return found, err
		}
	}
}

// readHeader reads the header and finds the character that separates its fields. It skips blank lines and a line such
// as "sep=;". The error is io.EOF for an empty file, and a fileError for a header that is too large, is not CSV, or is
// refused by checkColumns.
func (s *csvSplitter) readHeader() error {
	if err := s.findLineEnd(); err != nil {
		return err
	}
	line, rest, _ := bytes.Cut(s.pending, []byte{s.lineEnd})
	// a line that Excel writes
	if sep, found := bytes.CutPrefix(bytes.TrimRight(line, "\r"), []byte("sep=")); found && len(sep) == 1 {
		first := min(len(line)+1, len(s.pending)) // the file may end there
		s.start, s.at = first, first
		line, _, _ = bytes.Cut(rest, []byte{s.lineEnd})
	}
	s.comma = separatorOf(line)
	var first record
	for len(bytes.TrimSpace(first.raw)) == 0 {
		var err error
		if first, err = s.cut(); err != nil {
			return err // io.EOF: an empty file has no rows
		}
		if first.problem != "" {
			return fileError("the header cannot be read: " + first.problem)
		}
	}
	head := &header{Comma: string(s.comma)}
	var err error
	if head.Columns, err = readCSV(head, first.raw); err != nil {
		return fileError("the header cannot be read: " + err.Error())
	}
	if err := checkColumns(s.kind, head.Columns); err != nil {
		return err
	}
	s.head = head
	return nil
}

// findLineEnd sets the character that ends lines: a carriage return if the first line ends with one, outside of quotes,
// that no line feed follows; else a line feed. It returns an error only if reading the file fails.
func (s *csvSplitter) findLineEnd() error {
	s.lineEnd = '\n'
	for {
		err := s.fill()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		at := bytes.IndexAny(s.pending, "\r\n")
		switch {
		case at >= 0 && s.pending[at] == '\r' && at+1 < len(s.pending) && s.pending[at+1] != '\n':
			if bytes.Count(s.pending[:at], []byte{'"'})%2 == 0 {
				s.lineEnd = '\r'
			}
			return nil
		case at >= 0 && (s.pending[at] == '\n' || at+1 < len(s.pending)), err != nil, len(s.pending) > s.limit:
			return nil //nolint:nilerr // the end of the file is no error
		}
	}
}

// separatorOf returns which of the characters comma, semicolon, tab and | is most frequent in the line, outside of
// quotes; a comma if the line has none of them.
func separatorOf(line []byte) byte {
	best, most := byte(','), 0
	for _, candidate := range []byte{',', ';', '\t', '|'} {
		count, quoted := 0, false
		for _, char := range line {
			switch {
			case char == '"':
				quoted = !quoted
			case char == candidate && !quoted:
				count++
			}
		}
		if count > most {
			best, most = candidate, count
		}
	}
	return best
}

// cut returns the next row as it is in the file, even a blank one. Its bytes are valid until the next call. The error
// is io.EOF at the end of the file, a fileError if too many rows have wrong quotes, or an error of reading.
func (s *csvSplitter) cut() (record, error) {
	s.state, s.at = fieldStart, s.start
	for {
		switch end, broken := s.scan(); {
		case broken:
			return record{problem: brokenQuotes}, s.skipLine()
		case end > 0:
			row := s.pending[s.start:end]
			s.start = end
			if len(bytes.TrimRight(row, "\r\n")) > s.limit {
				return record{problem: rowTooLarge(s.limit)}, nil
			}
			return record{raw: row}, nil
		}
		if s.at-s.start > s.limit {
			return s.giant()
		}
		err := s.fill()
		if errors.Is(err, io.EOF) {
			return s.last()
		}
		if err != nil {
			return record{}, err
		}
	}
}

// giant skips a row that is larger than the limit, and returns a record that says so. If a quote that is not closed
// seems to have joined many rows, it skips only the first line.
func (s *csvSplitter) giant() (record, error) {
	if s.state == inQuotes && s.holdsRows(s.pending[s.start:s.at]) {
		return record{problem: brokenQuotes}, s.skipLine()
	}
	closed, err := s.skipRow()
	if !closed {
		const open = ", or a double quote at the beginning of a field has none at its end"
		return record{problem: rowTooLarge(s.limit) + open}, err
	}
	return record{problem: rowTooLarge(s.limit)}, err
}

// holdsRows reports whether the lines of a quoted text look like rows: whether at least nine of ten have as many fields
// as the header. It reports false if the header has a single field, or if the text has further quotes.
func (s *csvSplitter) holdsRows(text []byte) bool {
	if s.head == nil || len(s.head.Columns) < 2 || bytes.Count(text, []byte{'"'}) > 1 {
		return false
	}
	lines, rows, end := 0, 0, max(0, bytes.LastIndexByte(text, s.lineEnd))
	for line := range bytes.SplitSeq(text[min(bytes.IndexByte(text, s.lineEnd)+1, end):end], []byte{s.lineEnd}) {
		lines++
		if bytes.Count(line, []byte{s.comma})+1 == len(s.head.Columns) {
			rows++
		}
	}
	return rows > 0 && rows >= lines*9/10
}

// skipRow skips the rest of the row without storing it. closed is false if the file ended inside of quotes.
func (s *csvSplitter) skipRow() (closed bool, err error) {
	for {
		end, broken := s.scan()
		switch {
		case end > 0:
			s.start = end
			return true, nil
		case broken:
			s.start = s.at
			return true, s.skipLine()
		}
		s.start = s.at
		if err := s.fill(); err != nil {
			if errors.Is(err, io.EOF) {
				return s.state != inQuotes, nil
			}
			return true, err
		}
	}
}

// last returns the row at the end of the file, as a bad row if it ends inside of quotes. The error is io.EOF if nothing
// is left.
func (s *csvSplitter) last() (record, error) {
	row := s.pending[s.start:]
	switch {
	case len(row) == 0:
		return record{}, io.EOF
	case s.state == inQuotes:
		return record{problem: brokenQuotes}, s.skipLine()
	}
	s.start = len(s.pending)
	return record{raw: row}, nil
}

// scan looks for the end of the row in the bytes that were read, and returns the index after it, or 0 if it has not
// been read yet. broken reports whether a quote is wrong.
func (s *csvSplitter) scan() (end int, broken bool) {
	for ; s.at < len(s.pending); s.at++ {
		char := s.pending[s.at]
		switch s.state {
		case inQuotes:
			if char == '"' {
				s.state = afterQuote
			}
			continue
		case afterQuote:
			switch char {
			case '"':
				s.state = inQuotes
				continue
			case s.comma, '\n', '\r':
			default:
				return 0, true
			}
		case fieldStart:
			if char == '"' {
				s.state = inQuotes
				continue
			}
		case inField:
		}
		switch char {
		case s.lineEnd:
			s.at++
			return s.at, false
		case s.comma:
			s.state = fieldStart
		case '\r':
		default:
			s.state = inField
		}
	}
	return 0, false
}

// fill reads more of the file. To make room, it may move the bytes of pending, and change start and at accordingly. The
// call that reaches the end of the file returns nil; only the calls after it return io.EOF.
func (s *csvSplitter) fill() error {
	if s.ended {
		return io.EOF
	}
	if s.start > 0 {
		s.pending = append(s.pending[:0], s.pending[s.start:]...)
		s.at, s.start = s.at-s.start, 0
	}
	s.pending = slices.Grow(s.pending, bufferSize)
	n, err := s.in.Read(s.pending[len(s.pending) : len(s.pending)+bufferSize])
	s.pending, s.read = s.pending[:len(s.pending)+n], s.read+n
	if errors.Is(err, io.EOF) {
		s.ended, err = true, nil
	}
	return err
}

// skipLine skips the line on which the row begins. It returns a fileError if too many rows have wrong quotes, so that
// too many bytes would be scanned again.
func (s *csvSplitter) skipLine() error {
	if s.again += s.at - s.start; s.again > mostAgain*s.limit+s.read {
		return fileError("too many rows cannot be read: " + brokenQuotes)
	}
	for {
		if end := bytes.IndexByte(s.pending[s.start:], s.lineEnd); end >= 0 {
			s.start += end + 1
			return nil
		}
		s.start = len(s.pending)
		s.at = s.start
		if err := s.fill(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// readCSV parses a row into its fields. If the row is not UTF-8, readCSV assumes Windows-1252. It returns an error if
// the row looks like neither charset, if it is not exactly one row of CSV, or if a field has a NUL character.
func readCSV(head *header, raw []byte) ([]string, error) {
	if !utf8.Valid(raw) {
		decoded, western := fromWindows1252(raw)
		if !western {
			return nil, errors.New("the row is not valid UTF-8: if the file has another charset, name it in Content-Type")
		}
		raw = decoded
	}
	// The reader makes one character of the two that end a line, also in quotes.
	raw = bytes.ReplaceAll(bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte("\n")), []byte("\r")), []byte("\r\n"),
		[]byte("\r\r\n"))
	reader := csv.NewReader(bytes.NewReader(raw))
	reader.Comma, reader.FieldsPerRecord, reader.LazyQuotes = rune(head.Comma[0]), -1, true
	fields, err := reader.Read()
	if err != nil {
		return nil, fmt.Errorf("the row is no CSV: %w", err)
	}
	if _, err := reader.Read(); !errors.Is(err, io.EOF) {
		return nil, errors.New(brokenQuotes)
	}
	for i, field := range fields {
		if strings.ContainsRune(field, 0) {
			return nil, fmt.Errorf("field %d holds a NUL character", i+1)
		}
	}
	return fields, nil
}

// checkColumns removes white space around the names of the columns, in place. It returns a fileError if a column of
// knownColumns occurs twice or, for an import of companies, if no column has texts or names. Other columns may occur
// twice.
func checkColumns(kind string, columns []string) error {
	seen := map[string]bool{}
	for i, name := range columns {
		columns[i] = strings.TrimSpace(name)
		known := slices.Contains(knownColumns(kind), columns[i])
		if known && seen[columns[i]] {
			return fileError(fmt.Sprintf("the header has the column %q twice", columns[i]))
		}
		seen[columns[i]] = true
	}
	if kind == KindCompanies && !seen["text"] && aicreation.NameColumn(columns) < 0 {
		return fileError(`the header has no column "text" and none with the names of companies, such as "name": ` +
			"its first line must name the columns")
	}
	return nil
}

// knownColumns returns the names of the columns that have a meaning of their own. The others are stored in the metadata
// of a company or the data of a submission.
func knownColumns(kind string) []string {
	if kind == KindForms {
		return []string{"external_id", "integration_type", "data", "company_id", "metadata", "created_at"}
	}
	return []string{"external_id", "text", "name", "visibility", "notes", "company_status_id", "source", "metadata"}
}
