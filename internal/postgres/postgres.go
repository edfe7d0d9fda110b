// Package postgres opens the database and runs transactions as a user. It knows no table: row-level security in the schema
// (see migrations) decides what a user sees, this package only sees to it that every query runs as somebody.
package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	gormpostgres "gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// DB is a pool of connections. No query runs outside As or AsNobody.
type DB struct {
	pool *sql.DB
	gorm *gorm.DB
}

// Options size the pool. Zero values take defaults fit for one API process.
type Options struct {
	MaxConnections int // default 20
}

// Open connects to a postgres:// URL and pings it. The error says what is wrong with the URL or the server, without the password.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	pool := stdlib.OpenDB(*config)
	if opts.MaxConnections == 0 {
		opts.MaxConnections = 20
	}
	pool.SetMaxOpenConns(opts.MaxConnections)
	pool.SetMaxIdleConns(opts.MaxConnections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	db, err := open(ctx, pool)
	if err != nil {
		_ = pool.Close()
		return nil, err
	}
	return db, nil
}

func open(ctx context.Context, pool *sql.DB) (*DB, error) {
	if err := pool.PingContext(ctx); err != nil {
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	orm, err := gorm.Open(gormpostgres.New(gormpostgres.Config{Conn: pool}), &gorm.Config{
		Logger:                 logger.Discard, // callers get every error; a query's text may hold what people wrote
		SkipDefaultTransaction: true,           // every query is in a transaction of ours
		QueryFields:            true,           // name the columns: some are not granted, see migrations
		TranslateError:         true,
	})
	if err != nil {
		return nil, fmt.Errorf("open gorm: %w", err)
	}
	return &DB{pool: pool, gorm: orm}, nil
}

// Close closes every connection.
func (db *DB) Close() error { return db.pool.Close() }

// Ping tells whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.pool.PingContext(ctx) }

// Stats gives the state of the pool, for metrics.
func (db *DB) Stats() sql.DBStats { return db.pool.Stats() }

// Tx is a transaction that runs as one user: it sees and changes that user's rows alone.
type Tx struct {
	*gorm.DB

	user  uuid.UUID
	after []func(context.Context)
}

// UserID is the user whom the transaction runs as; uuid.Nil for nobody.
func (tx *Tx) UserID() uuid.UUID { return tx.user }

// AfterCommit adds something to do once the transaction is durable, such as telling the queue. It is not done when the transaction fails.
func (tx *Tx) AfterCommit(do func(context.Context)) { tx.after = append(tx.after, do) }

// As runs fn in a transaction as this user and commits when fn returns nil. The error is fn's own, or the database's.
func (db *DB) As(ctx context.Context, user uuid.UUID, fn func(*Tx) error) error {
	tx := &Tx{user: user}
	err := db.gorm.WithContext(ctx).Transaction(func(orm *gorm.DB) error {
		if err := identify(orm, user); err != nil {
			return err
		}
		tx.DB = orm
		if err := fn(tx); err != nil {
			return err
		}
		return beforeCommit(ctx, tx)
	})
	if err != nil {
		return err
	}
	for _, do := range tx.after {
		do(ctx)
	}
	return nil
}

type contextKey struct{}

// BeforeCommit gives a context in which every transaction does this once its own work is done, right before it commits; an error rolls it
// back and is what As returns.
func BeforeCommit(ctx context.Context, do func(*Tx) error) context.Context {
	return context.WithValue(ctx, contextKey{}, do)
}

func beforeCommit(ctx context.Context, tx *Tx) error {
	if do, found := ctx.Value(contextKey{}).(func(*Tx) error); found {
		return do(tx)
	}
	return nil
}

// AsNobody runs fn without an identity: only the SECURITY DEFINER functions of the schema answer there.
func (db *DB) AsNobody(ctx context.Context, fn func(*Tx) error) error {
	return db.As(ctx, uuid.Nil, fn)
}

// identify takes the role to which the policies apply and tells them who asks, in one round trip. Both end with the
// transaction, so nothing leaks through a pooling proxy.
func identify(orm *gorm.DB, user uuid.UUID) error {
	id := ""
	if user != uuid.Nil {
		id = user.String()
	}
	err := orm.Exec("SELECT set_config('role', 'dealflow_app', true), set_config('app.user_id', ?, true)", id).Error
	if err != nil {
		return fmt.Errorf("take the role dealflow_app (has `dealflow migrate` run?): %w", err)
	}
	return nil
}
