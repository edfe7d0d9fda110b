package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"

	"dealflow/internal/fault"
)

// Query is an SQL statement with its arguments, and a function that stores the rows that it returns.
type Query struct {
	sql  string
	args []any
	read func(pgx.Rows) error
	fail func(error) error

	later bool // it reads a part of a page that is not the first
}

// Failing returns the query with a function that is called with its error, if there is one, and returns the error to
// use instead. Put and WriteAs call the function; Read, Run and Ask return the query's own error.
func (q Query) Failing(turn func(error) error) Query {
	q.fail = turn
	return q
}

// Rows returns a query that appends its rows to into. fields returns pointers to the fields of a row, in the order of
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

// Value returns a query that stores the value of its first row in into. If there is no row, into does not change.
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

// Found returns a query that is built with gorm. When it runs, it sets into to the rows that it finds, to an empty
// slice if there are none. It matches columns and fields by name; every column must have a field. If gorm cannot build
// the query, running it returns gorm's error.
func Found[T any](db *DB, into *[]T, build func(*gorm.DB) *gorm.DB) Query {
	built := build(db.gorm.Session(&gorm.Session{DryRun: true, NewDB: true}))
	if built.Error != nil {
		return Query{sql: "SELECT", read: func(rows pgx.Rows) error {
			rows.Close()
			return built.Error
		}}
	}
	return Query{sql: built.Statement.SQL.String(), args: built.Statement.Vars, read: func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowToStructByNameLax[T])
		return err
	}}
}

// One returns the first of rows, or NotFound if there is none.
func One[T any](rows []T) (T, error) {
	if len(rows) == 0 {
		var none T
		return none, fault.NewNotFound()
	}
	return rows[0], nil
}

// Then returns the query with a check that is called after its rows were read. An error of the check becomes the error
// of the query; the later queries of the same round trip have run by then, but their rows are not read.
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

// Do returns a query whose rows, if it has any, are not read.
func Do(sql string, args ...any) Query {
	return Query{sql: sql, args: args, read: func(rows pgx.Rows) error {
		rows.Close()
		return rows.Err()
	}}
}

// Read runs queries as an identity, all in one round trip to the database. They are sent together without BEGIN, and so
// are one transaction; the identity is set for this transaction only. Read sets the User, the Proof and the Scopes of
// who. If the connection broke while it was idle, Read tries again on another.
//
// The error is Unauthenticated if nobody has the secret of the identity, or the error of who.Admit; no rows are read
// then. IsUnreachable is true for the error if no connection came free, or the answer took too long (see Options).
func (db *DB) Read(ctx context.Context, who *Identity, queries ...Query) error {
	done, err := db.awaitPart(ctx, queries)
	if err != nil {
		return err
	}
	defer done()
	limited, cancel := context.WithTimeoutCause(ctx, db.opts.TransactionTimeout, errLate)
	defer cancel()
	for attempt := 0; ; attempt++ {
		begun, err := db.read(limited, who, queries)
		if err == nil || begun || limited.Err() != nil || !IsUnreachable(err) || attempt >= db.opts.MaxConnections {
			return late(limited, err)
		}
	}
}

// awaitPart bounds how many calls read later parts of pages at once: a quarter of MaxConnections, at least one. That
// bounds their memory and leaves connections to others. It waits only if one of the queries reads a part that is not
// the first. The caller must call done once the queries have run. If ctx ends before they may run, done is nil and the
// error is the cause of ctx.
func (db *DB) awaitPart(ctx context.Context, queries []Query) (done func(), err error) {
	if !slices.ContainsFunc(queries, func(q Query) bool { return q.later }) {
		return func() {}, nil
	}
	select {
	case db.laterParts <- struct{}{}:
		return func() { <-db.laterParts }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// read is Read without repeating. begun is false if an error came before the database answered the statement of the
// identity. If the cause was a broken connection, the queries may then be sent again.
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

// queue adds the statement of the identity and the queries to a batch. origin must be "" unless purpose begins with
// originates, whose argument it is.
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

// readAll reads the answers to the statements that queue added, up to the first error, which it returns. It sets found,
// and the User, the Proof and the Scopes of who.
func readAll(results pgx.BatchResults, who *Identity, queries []Query, found *answer) error {
	if err := results.QueryRow().Scan(found.fields()...); err != nil {
		return fmt.Errorf("begin as dealflow_app (has `dealflow migrate` run?): %w", err)
	}
	found.begun = true
	if err := who.setUser(*found); err != nil {
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

// take returns a connection of the pool, which the caller must release. If none is free within AcquireTimeout, the
// error wraps errBusy.
func (db *DB) take(ctx context.Context) (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, db.opts.AcquireTimeout, errBusy)
	defer cancel()
	conn, err := db.pool.Acquire(ctx)
	return conn, late(ctx, err)
}

// Run runs a query in the transaction, after the pending statements, and reads its rows. Errors of the database are
// translated to those of gorm. The function of Failing is not called.
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
