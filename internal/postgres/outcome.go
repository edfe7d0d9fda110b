package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// ErrOutcomeUnknown is the error of a transaction whose COMMIT was sent and whose answer was lost, while the database
// could not be asked what became of it. It may be stored: nothing that it names may be removed.
var ErrOutcomeUnknown = errors.New("the answer to COMMIT was lost: whether it was done is not known")

// Undone reports whether err, of As or Write, means that nothing was stored for certain.
func Undone(err error) bool { return err != nil && !errors.Is(err, ErrOutcomeUnknown) }

// isRefusal reports whether the server refused a COMMIT and goes on: then the transaction was rolled back. An error
// by which it ends the connection, such as a shutdown, may follow a commit that was done.
func isRefusal(err error) bool {
	answer, found := errors.AsType[*pgconn.PgError](err)
	// 08: a proxy that lost its server
	return found && answer.SeverityUnlocalized == "ERROR" && !strings.HasPrefix(answer.Code, "08")
}

const (
	askTimeout  = 3 * time.Second
	askInterval = 50 * time.Millisecond
)

// ask asks the database, on other connections, how the transaction ended whose COMMIT got no answer for this cause.
// One that still runs is waited for: its connection is gone, so the server ends it as soon as it notices.
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

// outcome returns committed, aborted, "in progress", or "" for a transaction that the database no longer remembers.
func (db *DB) outcome(ctx context.Context, xid string) (string, error) {
	var status string
	err := db.pool.QueryRow(ctx, "SELECT COALESCE(pg_xact_status($1::text::xid8), '')", xid).Scan(&status)
	return status, err
}

// The limits of this package that can pass while a caller waits.
var (
	errBusy = errors.New("no connection to the database came free in time")
	errLate = errors.New("the database did not answer in time")
)

// late returns err, named by the limit of ours that ended ctx where it was one.
func late(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errBusy) || errors.Is(cause, errLate) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}
