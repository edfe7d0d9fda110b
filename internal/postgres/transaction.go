package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"
)

// Tx is a transaction that runs as one user: it reads and writes only rows that this user may. It must not be used by
// several goroutines at once, nor after the function that it was passed to has returned.
type Tx struct {
	*gorm.DB

	db      *DB
	who     *Identity
	purpose string
	begun   bool // false: BEGIN and the identity are sent with the first statement

	user  uuid.UUID
	after []func(context.Context)
	conn  *sql.Conn
	xid   string // the transaction's id; "" if it is not known
	made  any

	pending []pending // statements delayed by Later or Put
	failed  error     // the error of pending statements, where the statement after them could not return it
}

// UserID returns the user whom the transaction runs as; uuid.Nil for nobody.
func (tx *Tx) UserID() uuid.UUID { return tx.user }

// Made records what the transaction created or changed, for the answer to the request; a later call replaces it. The
// function of BeforeCommit may read it with Thing and store it in the same transaction.
func (tx *Tx) Made(thing any) { tx.made = thing }

// Thing returns what Made recorded; nil if it was not called.
func (tx *Tx) Thing() any { return tx.made }

// AfterCommit registers a function to be called once the transaction is durable, for example to notify the queue. The
// functions are called in the order in which they were registered, before As or Write returns, with a context that does
// not end with the caller's. They are not called after an error, which may be ErrOutcomeUnknown.
func (tx *Tx) AfterCommit(do func(context.Context)) { tx.after = append(tx.after, do) }

// As runs fn in a transaction as this user, and commits when fn returns nil. It returns the error of fn, of the
// function of BeforeCommit or of the database. The end of ctx matters only until COMMIT is sent. If the answer to
// COMMIT is lost, the error is ErrOutcomeUnknown.
func (db *DB) As(ctx context.Context, user uuid.UUID, fn func(*Tx) error) error {
	return db.transact(ctx, AsUser(user), reads, nil, fn)
}

// Write is As for a transaction that writes. It reads the transaction's id when the transaction begins. If the answer
// to COMMIT is lost, Write asks the database by this id how the transaction ended, and returns ErrOutcomeUnknown only
// if it gets no answer.
func (db *DB) Write(ctx context.Context, user uuid.UUID, fn func(*Tx) error) error {
	return db.transact(ctx, AsUser(user), writes, nil, fn)
}

// WriteAs is Write for an identity, of which it sets the User, the Proof and the Scopes. The queries are sent together
// with BEGIN and the identity, in one round trip. Then fn runs; it may be nil. The error may also be Unauthenticated or
// that of who.Admit, as it may be for Read.
func (db *DB) WriteAs(ctx context.Context, who *Identity, queries []Query, fn func(*Tx) error) error {
	return db.transact(ctx, who, writes, queries, fn)
}

// AsNobody runs fn in a transaction of no user, as As does. The transaction sees rows of tables with row security only
// through SECURITY DEFINER functions.
func (db *DB) AsNobody(ctx context.Context, fn func(*Tx) error) error {
	return db.As(ctx, uuid.Nil, fn)
}

type contextKey struct{}

// BeforeCommit returns a context in which every transaction of As, Write and WriteAs calls do right before it commits,
// instead of the function of an outer BeforeCommit. An error of do rolls the transaction back and is returned. A nil do
// calls nothing.
func BeforeCommit(ctx context.Context, do func(*Tx) error) context.Context {
	return context.WithValue(ctx, contextKey{}, do)
}

type requirementKey struct{}

// Requiring returns a context for a change with a condition. Before a thing is changed or deleted in this context,
// Require calls check with the present state of the thing; an error of check prevents the change.
func Requiring(ctx context.Context, check func(current any) error) context.Context {
	return context.WithValue(ctx, requirementKey{}, check)
}

// Require calls the function of Requiring with the result of current, which reads what is about to be changed. It
// returns the error of either function. If the context has no such function, Require returns nil and does not call
// current. The row must be locked before, or by current, so that it cannot change after the check.
func Require[T any](tx *Tx, current func() (T, error)) error {
	check, asked := tx.Statement.Context.Value(requirementKey{}).(func(any) error)
	if !asked {
		return nil
	}
	thing, err := current()
	if err != nil {
		return err
	}
	return check(thing)
}

func beforeCommit(ctx context.Context, tx *Tx) error {
	if do, found := ctx.Value(contextKey{}).(func(*Tx) error); found && do != nil {
		return do(tx)
	}
	return nil
}

func (db *DB) transact(ctx context.Context, who *Identity, purpose string, queries []Query, fn func(*Tx) error) error {
	limited, cancel := context.WithTimeoutCause(ctx, db.opts.TransactionTimeout, errLate)
	defer cancel()
	tx, err := db.begin(limited, who, purpose, queries)
	if err != nil {
		return late(limited, err)
	}
	defer func() { _ = tx.conn.Close() }() // returns it to the pool, which drops one that is not idle
	if err := tx.do(limited, fn); err != nil {
		return late(limited, err)
	}
	detached := context.WithoutCancel(ctx)
	if err := db.commit(detached, tx); err != nil {
		return err
	}
	_ = tx.conn.Close() // before the functions of AfterCommit, which may need a connection too
	for _, do := range tx.after {
		do(detached)
	}
	return nil
}

// do runs fn, the function of BeforeCommit and the pending statements, and returns the first error. If one of them
// fails or panics, it rolls back; otherwise the transaction stays open, and the caller commits.
func (tx *Tx) do(ctx context.Context, fn func(*Tx) error) error {
	done := false
	defer func() {
		if !done {
			tx.rollback(ctx)
		}
	}()
	if fn != nil {
		if err := fn(tx); err != nil {
			return err
		}
	}
	if err := beforeCommit(ctx, tx); err != nil {
		return err
	}
	if err := cmp.Or(tx.flush(ctx), tx.failed); err != nil {
		return err
	}
	done = true
	return nil
}

const rollbackTimeout = time.Second

// rollback ends the transaction, if it has begun. If ROLLBACK fails, the connection is closed, which ends it too.
func (tx *Tx) rollback(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_ = raw(tx.conn, func(conn *pgx.Conn) error {
		if !tx.begun || conn.IsClosed() {
			return nil
		}
		_, err := conn.Exec(ctx, "ROLLBACK")
		return err
	})
}

// raw sends the pending statements, and then calls do with the connection.
func (tx *Tx) raw(do func(*pgx.Conn) error) error {
	if err := tx.flush(tx.Statement.Context); err != nil {
		return err
	}
	return raw(tx.conn, do)
}

func raw(conn *sql.Conn, do func(*pgx.Conn) error) error {
	return conn.Raw(func(driver any) error { return do(driver.(*stdlib.Conn).Conn()) })
}

// begin takes a connection for a transaction, and sends BEGIN and the identity with the queries. If there are no
// queries, and the identity is a user given by an id without Admit, it sends nothing yet: BEGIN and the identity go
// with the first statements of the transaction.
func (db *DB) begin(ctx context.Context, who *Identity, purpose string, queries []Query) (*Tx, error) {
	conn, err := db.acquire(ctx)
	if err != nil {
		return nil, err
	}
	tx := &Tx{DB: db.gorm.Session(&gorm.Session{
		Context: ctx, NewDB: true,
	}), db: db, who: who, purpose: purpose, user: who.User, conn: conn}
	tx.Statement.ConnPool = inOrder{tx}
	if len(queries) == 0 && who.enter == "" && who.Admit == nil {
		return tx, nil
	}
	for _, q := range queries {
		tx.Put(q)
	}
	if err := tx.flush(ctx); err != nil {
		tx.rollback(ctx)
		_ = tx.conn.Close()
		return nil, err
	}
	return tx, nil
}

// open sends BEGIN, the identity and the pending statements. If the database did not answer because the connection
// broke while it was idle, open sends them again on another connection, at most MaxConnections times.
func (tx *Tx) open(ctx context.Context, sent []pending) error {
	for attempt := 0; ; attempt++ {
		var found answer
		err := raw(tx.conn, func(conn *pgx.Conn) error { return tx.enter(ctx, conn, sent, &found) })
		tx.begun, tx.user, tx.xid = found.begun, tx.who.User, found.xid
		if err == nil || found.begun || ctx.Err() != nil || !IsUnreachable(err) || attempt >= tx.db.opts.MaxConnections {
			return tx.translate(err)
		}
		conn, busy := tx.db.acquire(ctx)
		if busy != nil {
			return busy
		}
		_ = tx.conn.Close()
		tx.conn = conn
	}
}

// acquire returns a connection, which the caller must close. It waits for at most AcquireTimeout, and then returns an
// error that wraps errBusy: if all connections are in use that long, waiting longer would only make the queue longer.
func (db *DB) acquire(ctx context.Context) (*sql.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, db.opts.AcquireTimeout, errBusy)
	defer cancel()
	conn, err := db.std.Conn(ctx)
	if err != nil {
		return nil, late(ctx, err)
	}
	return conn, nil
}

// enter sends BEGIN, the identity and the pending statements in one round trip, and returns the first error among the
// answers. It sets found to what the database returned for the identity.
func (tx *Tx) enter(ctx context.Context, conn *pgx.Conn, sent []pending, found *answer) error {
	batch, origin, purpose := &pgx.Batch{}, originText(ctx), noOrigin+tx.purpose
	batch.Queue("BEGIN")
	if origin != "" {
		purpose = originates + tx.purpose
	}
	tx.db.queue(batch, tx.who, purpose, origin, nil)
	for _, one := range sent {
		batch.Queue(one.sql, one.args...)
	}
	results := conn.SendBatch(ctx, batch)
	defer results.Close() // an error that matters was read before
	if _, err := results.Exec(); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := readAll(results, tx.who, nil, found); err != nil {
		return err
	}
	return answered(results, sent)
}

// commit commits the transaction. It returns nil, an error after which nothing is stored, or ErrOutcomeUnknown.
func (db *DB) commit(ctx context.Context, tx *Tx) error {
	waiting, cancel := context.WithTimeout(ctx, db.opts.CommitTimeout)
	defer cancel()
	var ended string
	err := tx.raw(func(conn *pgx.Conn) error {
		tag, err := conn.Exec(waiting, "COMMIT")
		ended = tag.String()
		return err
	})
	switch {
	case err == nil && ended == "COMMIT":
		return nil
	case err == nil: // the server answers ROLLBACK to the COMMIT of a transaction in which a statement had failed
		return errors.New("commit: a statement had failed, so the transaction was rolled back")
	case isRefusal(err):
		return fmt.Errorf("commit: %w", db.translate(err))
	}
	return db.ask(ctx, tx.xid, err)
}

// translate returns gorm's error for an error of the database, such as gorm.ErrForeignKeyViolated, or err itself if
// gorm has none for it.
func (db *DB) translate(err error) error {
	if translator, found := db.gorm.Dialector.(gorm.ErrorTranslator); found {
		return translator.Translate(err)
	}
	return err
}
