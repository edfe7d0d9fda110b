package postgres

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// pending is a statement that is sent together with later ones. Its function then is called with the rows and the error
// of the answer, and an error that it returns fails the transaction.
type pending struct {
	sql  string
	args []any
	then func(pgx.Rows, error) error
}

// Later delays a statement, so that several are sent in one round trip: before the next statement that is not delayed,
// or before the commit. When the statement has run, then is called with the number of changed rows or the error; an
// error that it returns fails the transaction. If then is nil, the statement's own error does. An error of the
// statement that then ignores still prevents the commit. Later returns an error if the statement cannot be built.
func (tx *Tx) Later(build func(*gorm.DB) *gorm.DB, then func(changed int64, err error) error) error {
	built := build(tx.Session(&gorm.Session{DryRun: true}))
	if built.Error != nil {
		return built.Error
	}
	tx.pending = append(tx.pending, pending{
		sql: built.Statement.SQL.String(), args: built.Statement.Vars, then: func(rows pgx.Rows, err error) error {
			if err == nil {
				rows.Close()
				err = rows.Err()
			}
			if then == nil {
				return tx.translate(err)
			}
			return then(rows.CommandTag().RowsAffected(), tx.translate(err))
		},
	})
	return nil
}

// Put delays a query, as Later delays a statement. An error of the query fails the transaction; the function of
// Failing, if there is one, may replace the error before.
func (tx *Tx) Put(q Query) {
	tx.pending = append(tx.pending, pending{sql: q.sql, args: q.args, then: func(rows pgx.Rows, err error) error {
		if err == nil {
			err = q.read(rows)
		}
		if err = tx.translate(err); err != nil && q.fail != nil {
			err = q.fail(err)
		}
		return err
	}})
}

// Send sends the pending statements in one round trip and returns the first error, which fails the transaction.
func (tx *Tx) Send() error { return tx.flush(tx.Statement.Context) }

// flush sends the pending statements in their order, after BEGIN and the identity if these were not sent yet. It
// returns the first error, which fails the transaction.
func (tx *Tx) flush(ctx context.Context) error {
	sent := tx.pending
	tx.pending = nil
	switch {
	case !tx.begun && tx.failed != nil: // a second BEGIN would lack the statements sent with the first
		return tx.failed
	case !tx.begun:
		tx.failed = tx.open(ctx, sent)
		return tx.failed
	case len(sent) == 0:
		return nil
	}
	batch := &pgx.Batch{}
	for _, one := range sent {
		batch.Queue(one.sql, one.args...)
	}
	return raw(tx.conn, func(conn *pgx.Conn) error {
		results := conn.SendBatch(ctx, batch)
		if err := answered(results, sent); err != nil {
			_ = results.Close()
			return err
		}
		return results.Close()
	})
}

// answered reads the answers to the statements that were sent, up to the first error, which it returns.
func answered(results pgx.BatchResults, sent []pending) error {
	for _, one := range sent {
		rows, err := results.Query()
		if err := one.then(rows, err); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) translate(err error) error {
	if translator, found := tx.Dialector.(gorm.ErrorTranslator); found && err != nil {
		return translator.Translate(err)
	}
	return err
}

// inOrder is the connection that gorm uses in a transaction. It sends the pending statements before each of gorm's.
type inOrder struct{ tx *Tx }

// PrepareContext implements gorm.ConnPool.
func (c inOrder) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	if err := c.tx.flush(ctx); err != nil {
		return nil, err
	}
	return c.tx.conn.PrepareContext(ctx, query)
}

// ExecContext implements gorm.ConnPool.
func (c inOrder) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := c.tx.flush(ctx); err != nil {
		return nil, err
	}
	return c.tx.conn.ExecContext(ctx, query, args...)
}

// QueryContext implements gorm.ConnPool.
func (c inOrder) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := c.tx.flush(ctx); err != nil {
		return nil, err
	}
	return c.tx.conn.QueryContext(ctx, query, args...)
}

// QueryRowContext implements gorm.ConnPool. If a pending statement fails, the query is not run: Scan of the row returns
// context.Canceled, since a *sql.Row cannot be made with another error, and the transaction returns the cause when it
// is to be committed.
func (c inOrder) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if err := c.tx.flush(ctx); err != nil {
		c.tx.failed = err
		stopped, stop := context.WithCancel(ctx)
		stop() // it must not run without the transaction's user
		ctx = stopped
	}
	return c.tx.conn.QueryRowContext(ctx, query, args...)
}
