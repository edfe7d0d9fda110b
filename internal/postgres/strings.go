package postgres

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// Strings is a column of type text[]; nil is written as the empty array.
type Strings []string

// Value implements driver.Valuer. It builds the array literal itself: to make a map of types with pgx for each value
// would cost more than to store the row.
func (s Strings) Value() (driver.Value, error) {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	var out strings.Builder
	out.WriteByte('{')
	for i, text := range s {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('"')
		_, _ = escape.WriteString(&out, text) // a Builder takes everything
		out.WriteByte('"')
	}
	out.WriteByte('}')
	return out.String(), nil
}

// Scan implements sql.Scanner. An empty array and NULL become an empty slice, not nil, so that it is [] in JSON; an
// element that is NULL is an error. pgx passes the array as bytes in the binary format.
func (s *Strings) Scan(source any) error {
	if raw, isBytes := source.([]byte); isBytes && !bytes.HasPrefix(raw, []byte("{")) {
		return s.decode(raw)
	}
	var read []string
	if err := pgtype.NewMap().SQLScanner(&read).Scan(source); err != nil {
		return fmt.Errorf("decode text[]: %w", err)
	}
	*s = read
	if read == nil {
		*s = Strings{}
	}
	return nil
}

// arrayHead is the size in bytes of the header of a binary array with one dimension: how many dimensions, whether
// there are nulls, the type of elements, their number, and the index of the first.
const arrayHead = 5 * 4

// decode parses the binary format of an array without nulls.
func (s *Strings) decode(raw []byte) error {
	*s = Strings{}
	if len(raw) < arrayHead {
		return nil // an empty array has no dimension
	}
	for raw = raw[arrayHead:]; len(raw) >= 4; {
		end := uint64(binary.BigEndian.Uint32(raw)) + 4
		if end > uint64(len(raw)) {
			return errors.New("decode text[]: an element is cut off, or null")
		}
		*s, raw = append(*s, string(raw[4:end])), raw[end:]
	}
	return nil
}
