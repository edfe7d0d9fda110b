package imports

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzCSV compares the splitter with encoding/csv: both must find the same rows in each file that encoding/csv can
// read, except for files that it reads by other rules; see isPlainCSV.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"text,name\na,b\n", "text,name\r\n\"a\r\nb\",\"c\"\"d\"\r\n", "text\n\n\na\n", "text,name\n\"a",
		"sep=;\ntext;name\na;b\n", "text,name\na\"b,c\n", "sep=;",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		splitter, err := newSplitter(KindCompanies, FormatCSV, bytes.NewReader(file), 1<<20)
		if err != nil {
			return
		}
		got, clean := drain(t, splitter, len(file))
		head := splitter.header()
		if !clean || !isPlainCSV(file) || head == nil || head.Comma != "," || bytes.HasPrefix(file, []byte("sep=")) {
			return
		}
		want, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\ufeff")))).ReadAll()
		if err != nil || len(want) == 0 {
			return
		}
		var rows [][]string
		for _, raw := range got {
			fields, err := readCSV(head, raw)
			if err != nil {
				t.Fatalf("%q reads to %q by the library, and its row %q does not: %v", file, want, raw, err)
			}
			for i := range fields { // as the library does, unlike us
				fields[i] = strings.ReplaceAll(fields[i], "\r\n", "\n")
			}
			rows = append(rows, fields)
		}
		blank := func(fields []string) bool { return len(bytes.TrimSpace([]byte(fields[0]))) == 0 && len(fields) == 1 }
		want = slices.DeleteFunc(want[1:], blank)
		if rows = slices.DeleteFunc(rows, blank); !slices.EqualFunc(rows, want, slices.Equal) {
			t.Errorf("%q reads to %q, want %q", file, rows, want)
		}
	})
}

// isPlainCSV reports whether the library reads a file as the splitter does: it is UTF-8, and no line ends with a
// carriage return alone, which the library takes for a part of the field.
func isPlainCSV(file []byte) bool {
	bare := bytes.Count(file, []byte("\r")) != bytes.Count(file, []byte("\r\n"))
	return utf8.Valid(file) && !bare && bytes.IndexByte(file, 0) < 0
}

// FuzzSplitters looks for a file that no splitter comes to the end of.
func FuzzSplitters(f *testing.F) {
	f.Add(0, []byte("{\"a\":1}\n\n{\"b\":2}"))
	f.Add(1, []byte(
		"From a@b.example Thu Jan  1 00:00:00 2026\nFrom: a@b.example\n\nHello\n\nFrom c@d.example Thu Jan  1 00:00:00 "+
			"2026\nFrom: c@d.example\n\nHello\n",
	))
	f.Add(2, []byte("From: a@b.example\r\n\r\nHello\r\n"))
	formats := []string{FormatNDJSON, FormatMbox, FormatEML}
	f.Fuzz(func(t *testing.T, kind int, file []byte) {
		splitter, err := newSplitter(KindEmails, formats[uint(kind)%uint(len(formats))], bytes.NewReader(file), 4<<10)
		if err == nil {
			drain(t, splitter, len(file))
		}
	})
}

// drain returns the rows of a file, and whether nothing was wrong with any. It fails the test where there are more
// rows than bytes.
func drain(t *testing.T, splitter splitter, size int) (rows [][]byte, clean bool) {
	t.Helper()
	clean = true
	for range size + 2 {
		found, err := splitter.next()
		if err != nil {
			return rows, clean && errors.Is(err, io.EOF)
		}
		if found.problem != "" {
			clean = false
			continue
		}
		rows = append(rows, bytes.Clone(found.raw))
	}
	t.Fatalf("%d bytes have more rows", size)
	return nil, false
}
