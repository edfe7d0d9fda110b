package postgres

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"
)

// Query is a statement, and where the rows that it returns are stored.
type Query struct {
	sql  string
	args []any
	read func(pgx.Rows) error
	fail func(error) error
}

// Failing returns the query with a function that replaces its error. The function is called where the query is put off
// by Put.
func (q Query) Failing(turn func(error) error) Query {
	q.fail = turn
	return q
}

// Rows returns a query that appends its rows to into. Fields returns pointers to the fields of a row, in the order of
// columns.
func Rows[T any](into *[]T, fields func(*T) []any, sql string, args ...any) Query {
	return Query{sql: sql, args: args, read: func(rows pgx.Rows) error {
		for rows.Next() {
			var one T
			if err := rows.Scan(fields(&one)...); err != nil {
				return err
			}
			*into = append(*into, one)
		}
		return rows.Err()
	}}
}

// Value returns a query that stores the value of its first row in into; without a row, into stays as it is.
func Value[T any](into *T, sql string, args ...any) Query {
	return Query{sql: sql, args: args, read: func(rows pgx.Rows) error {
		defer rows.Close()
		if rows.Next() {
			if err := rows.Scan(into); err != nil {
				return err
			}
		}
		return rows.Err()
	}}
}

// Then returns the query with a check that is called once its rows are read. An error of the check is returned as the
// query's. Later queries of the same trip have run by then, but their rows are not read.
func (q Query) Then(check func() error) Query {
	read := q.read
	q.read = func(rows pgx.Rows) error {
		if err := read(rows); err != nil {
			return err
		}
		return check()
	}
	return q
}

// Do returns a query that returns no rows.
func Do(sql string, args ...any) Query {
	return Query{sql: sql, args: args, read: func(rows pgx.Rows) error {
		rows.Close()
		return rows.Err()
	}}
}

// Read runs queries as an identity, all in one trip to the database. Sent together without BEGIN, they are one
// transaction, for which alone the identity is set. Unauthenticated where a secret proves nobody; then nothing was
// read. Afterwards the identity's user is known.
func (db *DB) Read(ctx context.Context, who *Identity, queries ...Query) error {
	limited, cancel := context.WithTimeoutCause(ctx, db.opts.TransactionTimeout, errLate)
	defer cancel()
	for attempt := 0; ; attempt++ {
		begun, err := db.read(limited, who, queries)
		if err == nil || begun || limited.Err() != nil || !IsUnreachable(err) || attempt >= db.opts.MaxConnections {
			return late(limited, err)
		}
	}
}

// read is Read without repeating. It reports false where the database did not answer, as on a connection that broke
// while it was idle.
func (db *DB) read(ctx context.Context, who *Identity, queries []Query) (begun bool, err error) {
	conn, err := db.take(ctx)
	if err != nil {
		return true, err
	}
	defer conn.Release()
	batch := &pgx.Batch{}
	db.queue(batch, who, noOrigin+reads, "", queries)
	results := conn.SendBatch(ctx, batch)
	var found answer
	if err := readAll(results, who, queries, &found); err != nil {
		_ = results.Close()
		return found.begun, err
	}
	return true, results.Close()
}

// queue adds the statement of the identity and the queries to a batch.
func (db *DB) queue(batch *pgx.Batch, who *Identity, purpose, origin string, queries []Query) {
	statement, argument := who.statement(purpose)
	args := []any{argument, strconv.FormatInt(db.opts.TransactionTimeout.Milliseconds(), 10)}
	if origin != "" {
		args = append(args, origin)
	}
	batch.Queue(statement, args...)
	for _, q := range queries {
		batch.Queue(q.sql, q.args...)
	}
}

// readAll reads the answers to what queue added, up to the first error.
func readAll(results pgx.BatchResults, who *Identity, queries []Query, found *answer) error {
	if err := results.QueryRow().Scan(found.fields()...); err != nil {
		return fmt.Errorf("begin as dealflow_app (has `dealflow migrate` run?): %w", err)
	}
	found.begun = true
	if err := who.know(*found); err != nil {
		return err
	}
	for _, q := range queries {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		if err := q.read(rows); err != nil {
			rows.Close()
			return err
		}
	}
	return nil
}

// take returns a connection of the pool; it waits as acquire does.
func (db *DB) take(ctx context.Context) (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, db.opts.AcquireTimeout, errBusy)
	defer cancel()
	conn, err := db.pool.Acquire(ctx)
	return conn, late(ctx, err)
}

// Run runs a query in the transaction. Its errors are those of gorm.
func (tx *Tx) Run(q Query) error {
	ctx := tx.Statement.Context
	err := tx.raw(func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, q.sql, q.args...)
		if err != nil {
			return err
		}
		return q.read(rows)
	})
	if translator, found := tx.Dialector.(gorm.ErrorTranslator); found && err != nil {
		return translator.Translate(err)
	}
	return err
}
