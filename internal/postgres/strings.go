package postgres

import (
	"database/sql/driver"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"
)

// Strings is a column of type text[]; nil is written as the empty array.
type Strings []string

// Value is part of driver.Valuer.
func (s Strings) Value() (driver.Value, error) {
	if len(s) == 0 {
		return "{}", nil
	}
	encoded, err := pgtype.NewMap().Encode(pgtype.TextArrayOID, pgtype.TextFormatCode, []string(s), nil)
	if err != nil {
		return nil, fmt.Errorf("encode text[]: %w", err)
	}
	return string(encoded), nil
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
