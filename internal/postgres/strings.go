package postgres

import (
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// Strings is a column of type text[]; nil is written as the empty array.
type Strings []string

// Value is part of driver.Valuer. It writes the literal itself: pgx's map of types costs more to make than a row of many to store.
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

// Scan is part of sql.Scanner. It gives the empty slice for the empty array, so that it is [] in JSON.
func (s *Strings) Scan(source any) error {
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
