package imports

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// splitter splits a file into rows as the file arrives. It parses a row only as far as needed to find its end, and has
// at most one row in memory.
type splitter interface {
	// next returns the next row, whose bytes are valid until the next call. It returns io.EOF after the last row, a
	// fileError if the file is not of its format, and any other error if reading the file failed.
	next() (record, error)
	// header returns the header of a CSV file after the first call of next; nil for other formats.
	header() *header
}

// fileError says, for people, what is wrong with the whole file.
type fileError string

// Error implements error.
func (e fileError) Error() string { return string(e) }

// BadFile returns an error for the Read of a body that is passed to Receive. If Read returns it, the import ends there,
// and why becomes its Error.
func BadFile(why string) error { return fileError(why) }

// bufferSize is how much is read at a time, in bytes.
const bufferSize = 64 << 10

// maxTextRow is the largest size, in bytes, of a row of submissions or companies. Their members have lower limits.
const maxTextRow = 8 << 20

// newSplitter returns the splitter for a file. The error is a fileError if the beginning of the file shows that it is
// of another format, or an error of reading it. limit is the largest size of a row in bytes; for submissions and
// companies it is at most maxTextRow.
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

// refuseForeign returns a fileError if the first bytes of a file show that it is not of this format, the error of
// reading if no byte could be read, and else nil, also for an empty file. It skips a byte order mark of UTF-8 and
// consumes nothing else.
func refuseForeign(in *bufio.Reader, format string) error {
	head, err := beginning(in)
	if len(head) == 0 && !errors.Is(err, io.EOF) { // a file that breaks off early is read as far as it arrived
		return err
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return fileError("the file is UTF-16: send it as UTF-8")
		}
	}
	found := detect(head)
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

// detect returns the media type of a file that begins with head. Unlike mimetype, it also recognizes a text that has a
// few control characters such as NUL, two or at most one in 16, so that only the rows with them are refused. Of random
// bytes about a tenth are such characters.
func detect(head []byte) *mimetype.MIME {
	found := mimetype.Detect(head)
	if !found.Is("application/octet-stream") {
		return found
	}
	text := bytes.Clone(head[:min(len(head), detectedBytes)])
	odd := 0
	for i, c := range text {
		if c < ' ' && !strings.ContainsRune("\t\n\f\r\x1b", rune(c)) {
			text[i] = ' '
			odd++
		}
	}
	if odd > max(2, len(text)/16) {
		return found
	}
	return mimetype.Detect(text)
}

func isText(found *mimetype.MIME) bool {
	for ; found != nil; found = found.Parent() {
		if found.Is("text/plain") {
			return true
		}
	}
	return false
}

// refuseJSON returns a fileError for JSON that is not one object on each line, such as an array: each line of such a
// file would be a bad row. head is the beginning of the file.
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

// detectedBytes is the number of bytes at the beginning at which mimetype looks.
const detectedBytes = 3072

// beginning returns the first bytes of a file without consuming them: enough to detect its format. Once a line is
// complete it waits for no more bytes, so that the first rows of a file that arrives slowly need not wait. The error is
// io.EOF if the file has no more bytes.
func beginning(in *bufio.Reader) ([]byte, error) {
	for size := 64; ; size = in.Buffered() + 1 {
		head, err := in.Peek(size)
		if err != nil || len(head) >= detectedBytes {
			return head, err
		}
		if head, err = in.Peek(in.Buffered()); bytes.IndexByte(head, '\n') >= 0 {
			return head, err
		}
	}
}

func rowTooLarge(limit int) string { return fmt.Sprintf("the row is larger than %d bytes", limit) }

// lineSplitter splits NDJSON into lines, and skips blank ones.
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

// readLine reads the next line into s.line, and reports whether it was over the limit. It does not store a line over
// the limit. The error is io.EOF if the file ended with or before this line.
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

// empty sets a row to length 0. It keeps the memory for the next row, except that of a giant (see isGiant), which it
// returns to the system at once.
func empty(row *[]byte) {
	size := cap(*row)
	if !isGiant(size) {
		*row = (*row)[:0]
		return
	}
	*row = nil
	releaseMemory(size)
}

// extended returns row with part appended. It doubles the capacity if there is no room, and makes it as large as the
// limit once it is beyond half of that: smaller steps would leave many times the size of a giant as garbage.
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

// wholeSplitter returns the whole file as one row, a bad row if the file is larger than limit, and no row for an empty
// file.
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
