package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// ErrOutcomeUnknown is the error of a transaction whose answer to COMMIT was lost, if the database could not say
// afterwards how the transaction ended. Its rows may be stored, so the caller must not remove files that they name.
var ErrOutcomeUnknown = errors.New("the answer to COMMIT was lost: whether it was done is not known")

// Undone reports whether an error of As or Write means that certainly nothing was stored. It returns false for nil and
// for an unknown outcome.
func Undone(err error) bool { return err != nil && !errors.Is(err, ErrOutcomeUnknown) }

// isRefusal reports whether an error of COMMIT means that the transaction was rolled back: the server refused it and
// kept the connection. An error that ends the connection, such as a shutdown, may follow a commit that succeeded.
func isRefusal(err error) bool {
	answer, found := errors.AsType[*pgconn.PgError](err)
	// 08: a proxy that lost its server
	return found && answer.SeverityUnlocalized == "ERROR" && !strings.HasPrefix(answer.Code, "08")
}

const (
	askTimeout  = 3 * time.Second
	askInterval = 50 * time.Millisecond
)

// ask returns how a transaction ended whose COMMIT got no answer: nil if it was committed, ErrOutcomeUnknown if xid is
// "" or the database does not say before askTimeout is over or ctx ends, and another error if it was rolled back. Each
// of these errors wraps cause. It asks on other connections, and repeats the question while the transaction still runs:
// the server ends the transaction once it notices that its connection broke.
func (db *DB) ask(ctx context.Context, xid string, cause error) error {
	unknown := fmt.Errorf("%w: %w", ErrOutcomeUnknown, cause)
	if xid == "" {
		return unknown
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	for {
		switch status, err := db.outcome(ctx, xid); {
		case err == nil && status == "committed":
			return nil
		case err == nil && status == "aborted":
			return fmt.Errorf("commit: the connection broke and the transaction was rolled back: %w", cause)
		}
		select {
		case <-ctx.Done():
			return unknown
		case <-time.After(askInterval):
		}
	}
}

// outcome returns "committed", "aborted" or "in progress", or "" for a transaction that the database no longer
// remembers.
func (db *DB) outcome(ctx context.Context, xid string) (string, error) {
	var status string
	err := db.pool.QueryRow(ctx, "SELECT COALESCE(pg_xact_status($1::text::xid8), '')", xid).Scan(&status)
	return status, err
}

// errBusy is the cause of a context that ended because no connection was free within AcquireTimeout. errLate is the
// cause of a context that ended after TransactionTimeout, or after the limit of a Snapshot.
var (
	errBusy = errors.New("no connection to the database came free in time")
	errLate = errors.New("the database did not answer in time")
)

// late returns err. If errBusy or errLate is the cause of the end of ctx, the result wraps that too. It returns nil if
// err is nil.
func late(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && (errors.Is(cause, errBusy) || errors.Is(cause, errLate)) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}
