package imports

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/gabriel-vasile/mimetype"
)

// splitter cuts a file into rows as it arrives. It looks at no more of a row than it needs to find its end, and holds
// at most one row's limit.
type splitter interface {
	// next returns a row, whose bytes are good until the next call; io.EOF after the last, a fileError where the file
	// is not what it says, any other error where it broke off.
	next() (record, error)
	// header returns what the rows need to be read; nil for most formats. It is known once next was called.
	header() *header
}

// fileError says what is wrong with a whole file.
type fileError string

// Error is part of error.
func (e fileError) Error() string { return string(e) }

// BadFile is an error that a reader of a file may return: it ends the file there, and the import says why.
func BadFile(why string) error { return fileError(why) }

// bufferSize is how much is read at a time, in bytes.
const bufferSize = 64 << 10

// maxTextRow is more than a submission or a company can be, whose parts have limits of their own, in bytes.
const maxTextRow = 8 << 20

// newSplitter looks at how a file begins, and returns what cuts it. limit is that of a row, in bytes.
func newSplitter(kind, format string, body io.Reader, limit int64) (splitter, error) {
	in := bufio.NewReaderSize(body, bufferSize)
	if format == FormatCSV || format == FormatNDJSON {
		var err error
		if in, err = fromUTF16(in); err != nil {
			return nil, err
		}
	}
	if err := refuseForeign(in, format); err != nil {
		return nil, err
	}
	if kind != KindEmails && kind != KindAccount {
		limit = min(limit, maxTextRow)
	}
	switch format {
	case FormatCSV:
		return newCSVSplitter(in, int(limit), kind), nil
	case FormatMbox:
		return &mboxSplitter{in: in, limit: int(limit)}, nil
	case FormatEML:
		return &wholeSplitter{in: in, limit: limit}, nil
	}
	return &lineSplitter{in: in, limit: int(limit)}, nil
}

// refuseForeign knows by its first bytes a file that cannot be what it is called, and takes the mark off one that has
// one.
func refuseForeign(in *bufio.Reader, format string) error {
	head, err := beginning(in)
	if len(head) == 0 && !errors.Is(err, io.EOF) { // what arrived of a file that breaks off early is read first
		return err
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return fileError("the file is UTF-16: send it as UTF-8")
		}
	}
	found := mimetype.Detect(head)
	switch {
	case len(head) == 0:
	case !isText(found) && (format == FormatNDJSON || format == FormatCSV || !found.Is("application/octet-stream")):
		return fileError(fmt.Sprintf("the file is no %s, but %s: if it is an archive, unpack it first", format, found))
	case found.Is("text/html"), found.Is("text/xml"):
		return fileError(fmt.Sprintf("the file is no %s, but %s", format, found))
	case format == FormatNDJSON:
		if err := refuseJSON(bytes.TrimLeft(head, "\ufeff \t\r\n")); err != nil {
			return err
		}
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		_, err = in.Discard(len("\ufeff"))
		return err
	}
	return nil
}

func isText(found *mimetype.MIME) bool {
	for ; found != nil; found = found.Parent() {
		if found.Is("text/plain") {
			return true
		}
	}
	return false
}

// refuseJSON knows JSON that is not in lines, of which each line would be a bad row.
func refuseJSON(head []byte) error {
	line, _, isWhole := bytes.Cut(head, []byte("\n"))
	switch {
	case bytes.HasPrefix(head, []byte("[")):
		return fileError(
			"the file is a JSON array: send one object on each line instead, without brackets and commas around them",
		)
	case isWhole && len(bytes.TrimSpace(line)) == 1 && line[0] == '{':
		return fileError("the file is JSON of which an object has many lines: send each object on one line")
	}
	return nil
}

// beginning returns how a file begins: as much as shows what it is, and not so much that the first rows of a slow one
// would wait.
func beginning(in *bufio.Reader) ([]byte, error) {
	for size := 64; ; size = in.Buffered() + 1 {
		head, err := in.Peek(size)
		if err != nil || len(head) >= 3072 {
			return head, err
		}
		if head, err = in.Peek(in.Buffered()); bytes.IndexByte(head, '\n') >= 0 {
			return head, err
		}
	}
}

func rowTooLarge(limit int) string { return fmt.Sprintf("the row is larger than %d bytes", limit) }

// lineSplitter cuts NDJSON. Blank lines are no rows.
type lineSplitter struct {
	in    *bufio.Reader
	limit int
	line  []byte
}

func (*lineSplitter) header() *header { return nil }

func (s *lineSplitter) next() (record, error) {
	for {
		over, err := s.readLine()
		if err != nil && !errors.Is(err, io.EOF) {
			return record{}, err
		}
		if over {
			return record{problem: rowTooLarge(s.limit)}, nil
		}
		if row := bytes.TrimSpace(s.line); len(row) > 0 {
			return record{raw: row}, nil
		}
		if err != nil {
			return record{}, io.EOF
		}
	}
}

// readLine reads to the end of a line, and reports whether it was too long to be kept.
func (s *lineSplitter) readLine() (over bool, err error) {
	empty(&s.line)
	for {
		part, err := s.in.ReadSlice('\n')
		if over = over || len(s.line)+len(bytes.TrimRight(part, "\r\n")) > s.limit; over {
			empty(&s.line)
		} else {
			s.line = extended(s.line, part, s.limit)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return over, err
		}
	}
}

// empty keeps the memory of a row for the next one, unless a giant had it.
func empty(row *[]byte) {
	size := cap(*row)
	if !isGiant(size) {
		*row = (*row)[:0]
		return
	}
	*row = nil
	releaseMemory(size)
}

// extended adds to a row that grows up to its limit. It doubles, and from half of the limit on takes all of it: small
// steps would leave many times a giant's size behind as garbage.
func extended(row, part []byte, limit int) []byte {
	if needed := len(row) + len(part); needed > cap(row) {
		size := 2 * cap(row)
		if size > limit/2 {
			size = limit + bufferSize
		}
		row = append(make([]byte, 0, max(needed, size)), row...)
	}
	return append(row, part...)
}

// wholeSplitter returns all of a file as its one row.
type wholeSplitter struct {
	in    io.Reader
	limit int64
	done  bool
}

func (*wholeSplitter) header() *header { return nil }

func (s *wholeSplitter) next() (record, error) {
	if s.done {
		return record{}, io.EOF
	}
	s.done = true
	raw, err := io.ReadAll(io.LimitReader(s.in, s.limit))
	if err != nil {
		return record{}, err
	}
	more, err := io.Copy(io.Discard, s.in)
	switch {
	case err != nil:
		return record{}, err
	case more > 0:
		return record{problem: rowTooLarge(int(s.limit))}, nil
	case len(raw) == 0:
		return record{}, io.EOF
	}
	return record{raw: raw}, nil
}
