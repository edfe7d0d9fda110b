package postgres_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"dealflow/internal/postgres"
)

func TestIsUnreachable(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err  error
		want bool
	}{
		"nobody listens":       {&net.OpError{Op: "dial", Err: errors.New("connection refused")}, true},
		"no such host":         {fmt.Errorf("connect: %w", &net.DNSError{Err: "no such host", IsNotFound: true}), true},
		"the connection broke": {io.ErrUnexpectedEOF, true},
		"a dead connection":    {driver.ErrBadConn, true},
		"shutting down":        {&pgconn.PgError{Code: "57P01"}, true},
		"crashed":              {&pgconn.PgError{Code: "57P02"}, true},
		"starting":             {&pgconn.PgError{Code: "57P03"}, true},
		"full":                 {&pgconn.PgError{Code: "53300"}, true},
		"disk full":            {&pgconn.PgError{Code: "53100"}, true},
		"disk broken":          {&pgconn.PgError{Code: "58030"}, true},
		"read-only":            {&pgconn.PgError{Code: "25006"}, true},
		"protocol broke":       {&pgconn.PgError{Code: "08006"}, true},
		"a statement too long": {&pgconn.PgError{Code: "57014"}, true},
		"a unique row":         {&pgconn.PgError{Code: "23505"}, false},
		"no such row":          {gorm.ErrRecordNotFound, false},
		"the caller left":      {context.Canceled, false},
		"none":                 {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tc.err
			if err != nil {
				err = fmt.Errorf("look up the key: %w", err)
			}
			if got := postgres.IsUnreachable(err); got != tc.want {
				t.Errorf("IsUnreachable(%v) = %v", err, got)
			}
		})
	}
}
