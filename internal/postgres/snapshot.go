package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// Snapshot is a view of the database at one moment. It does not change, however long it is read. It is valid until the
// function that it was passed to returns, and answers one query at a time.
type Snapshot struct{ conn *pgx.Conn }

// Snapshot runs fn in a read-only transaction of the identity, in which every query sees the same moment. ctx of fn
// ends after limit; IsUnreachable is true for the error then. Snapshot holds a connection until fn returns, so the
// caller must bound how many run. It returns the error of fn, or the errors that Read returns.
func (db *DB) Snapshot(ctx context.Context, who *Identity, limit time.Duration,
	fn func(context.Context, *Snapshot) error,
) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errLate)
	defer cancel()
	conn, err := db.take(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // drops a connection whose transaction could not be ended
	if err := enterSnapshot(ctx, conn.Conn(), who, limit); err != nil {
		return late(ctx, err)
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
		defer cancel()
		if !conn.Conn().IsClosed() {
			_, _ = conn.Exec(ending, "ROLLBACK")
		}
	}()
	if err := fn(ctx, &Snapshot{conn: conn.Conn()}); err != nil {
		return late(ctx, err)
	}
	return nil
}

// enterSnapshot begins the transaction of a Snapshot as the identity. limit bounds each of its statements. In it, times
// are written in UTC. The errors are those of Read.
func enterSnapshot(ctx context.Context, conn *pgx.Conn, who *Identity, limit time.Duration) error {
	batch := &pgx.Batch{}
	batch.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	statement, argument := who.statement(noOrigin + reads)
	batch.Queue(statement, argument, strconv.FormatInt(limit.Milliseconds(), 10))
	batch.Queue("SET LOCAL timezone = 'UTC'")
	results := conn.SendBatch(ctx, batch)
	defer results.Close() // an error that matters was read before
	if _, err := results.Exec(); err != nil {
		return fmt.Errorf("begin a snapshot: %w", err)
	}
	var found answer
	if err := readAll(results, who, nil, &found); err != nil {
		return err
	}
	_, err := results.Exec()
	return err
}

// Ask runs a query in the snapshot. The function of Failing is not called.
func (s *Snapshot) Ask(ctx context.Context, q Query) error {
	rows, err := s.conn.Query(ctx, q.sql, q.args...)
	if err != nil {
		return err
	}
	return q.read(rows)
}

// Each calls fn with each row, its columns as bytes that are valid until fn returns; a null is a nil slice. The columns
// must be texts or JSON in SQL, since other types may be sent in a binary format. Rows are not collected, so that
// memory does not grow with their number. An error of fn ends the query and is returned.
func (s *Snapshot) Each(ctx context.Context, fn func(columns [][]byte) error, sql string, args ...any) error {
	ctx, cancel := context.WithCancel(ctx)
	rows, err := s.conn.Query(ctx, sql, args...)
	if err != nil {
		cancel()
		return err
	}
	defer rows.Close()
	defer cancel() // before Close, which would else read all that is left
	for rows.Next() {
		if err := fn(rows.RawValues()); err != nil {
			return err
		}
	}
	return rows.Err()
}
