package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// IsUnreachable reports whether err comes from a database that cannot be used now, and may be in a moment: no
// connection can be made, one broke, none came free, the answer is late, or the server says that it is starting,
// ending or full.
func IsUnreachable(err error) bool {
	if errors.Is(err, ErrOutcomeUnknown) || errors.Is(err, errBusy) || errors.Is(err, errLate) {
		return true
	}
	if answer, found := errors.AsType[*pgconn.PgError](err); found {
		return isOutOfService(answer.Code)
	}
	if _, found := errors.AsType[*net.OpError](err); found {
		return true
	}
	if _, found := errors.AsType[*net.DNSError](err); found { // the name of a container that is down is unknown
		return true
	}
	if _, found := errors.AsType[*pgconn.ConnectError](err); found && errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var neverSent interface{ SafeToRetry() bool } // of pgx
	return errors.As(err, &neverSent) && neverSent.SafeToRetry() || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

// isOutOfService reports whether a code is one by which a server refuses everybody: class 08 of broken connections,
// 53300 (too many of them), 57014 (stopped by statement_timeout, which is set to our own limit), and 57P01 to 57P03
// (shut down, crashed, not ready yet).
func isOutOfService(code string) bool {
	switch code {
	case "53300", "57014", "57P01", "57P02", "57P03":
		return true
	}
	return strings.HasPrefix(code, "08")
}
