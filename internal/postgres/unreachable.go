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

// IsUnreachable reports whether err means that the database cannot be used now but may be soon: no connection could be
// made, one broke, none came free, the answer was late or was lost, or the server is starting, stopping or full, or
// accepts no writes. It is false for nil.
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

// IsLate reports whether err means that a transaction took longer than Options.TransactionTimeout, or was stopped by
// the server. Either the database hangs, or the transaction has too much to do. It is false for nil.
func IsLate(err error) bool {
	if answer, found := errors.AsType[*pgconn.PgError](err); found {
		return answer.Code == stoppedByServer
	}
	return errors.Is(err, errLate)
}

// stoppedByServer is the code of the error of a statement that the server stopped, mostly since it took longer than
// statement_timeout, which this package sets.
const stoppedByServer = "57014"

// isOutOfService reports whether an error code means that the server cannot answer now: class 08 (broken connections),
// 25006 (read-only: a standby, or a hosted server whose disk is nearly full), 53100 (disk full), 53300 (too many
// connections), stoppedByServer, 57P01 to 57P03 (shut down, crashed, not ready yet), and 58030 (disk failure).
func isOutOfService(code string) bool {
	switch code {
	case "25006", "53100", "53300", stoppedByServer, "57P01", "57P02", "57P03", "58030":
		return true
	}
	return strings.HasPrefix(code, "08")
}
