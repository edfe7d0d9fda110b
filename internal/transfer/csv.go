package transfer

import (
	"bufio"
	"encoding/csv"
	"io"
	"strings"
	"unicode/utf8"
)

// CSV writes a table as CSV, row by row. Cells that a spreadsheet could read as formulas, such as "-5", get an
// apostrophe before them.
type CSV struct {
	out  *bufio.Writer
	rows *csv.Writer
	row  []string // the last one
}

// NewCSV returns an empty table that is written to w, for programs.
func NewCSV(w io.Writer) *CSV {
	out := bufio.NewWriter(w)
	return &CSV{out: out, rows: csv.NewWriter(out)}
}

// NewMarkedCSV returns an empty table that is written to w, for people. It begins with a byte order mark: without it
// Excel reads the file in the old charset of the machine, and "Zoë" as "ZoÃ«". NewMarkedCSV itself writes nothing to w:
// the mark is buffered, as rows are.
func NewMarkedCSV(w io.Writer) *CSV {
	table := NewCSV(w)
	_, _ = table.out.WriteString("\ufeff") // Flush returns an error later
	return table
}

// Row writes a row to a buffer, which it writes to w when it is full. An error of w may be returned by a later call.
func (c *CSV) Row(cells ...string) error {
	c.row = c.row[:0]
	for _, cell := range cells {
		c.row = append(c.row, defused(cell))
	}
	return c.rows.Write(c.row)
}

// Flush writes what is buffered to w. It returns the first error of writing.
func (c *CSV) Flush() error {
	if c.rows.Flush(); c.rows.Error() != nil {
		return c.rows.Error()
	}
	return c.out.Flush()
}

func defused(cell string) string {
	if first, _ := utf8.DecodeRuneInString(cell); cell != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + cell
	}
	return cell
}
