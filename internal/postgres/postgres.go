// Package postgres opens the database and runs transactions as a user. It knows no table. Row-level security in the
// schema (see migrations) decides what a user sees; this package makes every query run as some user.
package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	gormpostgres "gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// DB is a pool of connections. It is safe for concurrent use. Queries on tables run only in Read, Write, WriteAs, As,
// AsNobody and Snapshot, which set the user.
type DB struct {
	pool *pgxpool.Pool
	std  *sql.DB // the same connections, for gorm and goose
	gorm *gorm.DB
	opts Options

	laterParts chan struct{} // has an element for each later part of a page that is being read: see awaitPart
}

// Options say how large the pool is and how long callers may wait. Zero values are replaced by the defaults.
type Options struct {
	MaxConnections     int             // default 20
	ConnectTimeout     time.Duration   // to reach the server and log in; default 3 s, or connect_timeout of the URL
	AcquireTimeout     time.Duration   // to wait for a free connection; default 4 s
	TransactionTimeout time.Duration   // from the call to before COMMIT, waiting included; default 8 s
	CommitTimeout      time.Duration   // to wait for the answer to COMMIT; default 5 s
	Tracer             pgx.QueryTracer // called for every statement; nil: none
}

func (o Options) withDefaults() Options {
	o.MaxConnections = cmp.Or(o.MaxConnections, 20)
	o.AcquireTimeout = cmp.Or(o.AcquireTimeout, 4*time.Second)
	o.TransactionTimeout = cmp.Or(o.TransactionTimeout, 8*time.Second)
	o.CommitTimeout = cmp.Or(o.CommitTimeout, 5*time.Second)
	return o
}

const defaultConnectTimeout = 3 * time.Second

// Open connects to a postgres:// URL. It logs in once, and returns an error if the server does not answer (see
// IsUnreachable) or the URL is wrong; the error does not contain the password. The caller must close the DB.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	opts = opts.withDefaults()
	config.MaxConns = int32(min(opts.MaxConnections, math.MaxInt32)) //nolint:gosec // G115: it fits now
	config.MaxConnIdleTime = 5 * time.Minute
	// A connection that broke while it was idle is found by the first statement, which is safe to send again.
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	config.AfterConnect = learnTypes
	config.ConnConfig.Tracer = opts.Tracer
	if limit := opts.ConnectTimeout; limit > 0 {
		config.ConnConfig.ConnectTimeout = limit
	} else if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = defaultConnectTimeout
	}
	if config.ConnConfig.DefaultQueryExecMode, err = execMode(ctx, config.ConnConfig); err != nil {
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the pool: %w", err)
	}
	db, err := open(pool, opts)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return db, nil
}

// execMode returns how statements are sent: as named prepared statements, or without names if there is a proxy such as
// PgBouncer, which runs each transaction on another server connection. A proxy is recognized by the process id that it
// reports at login, which is not the server's.
func execMode(ctx context.Context, config *pgx.ConnConfig) (pgx.QueryExecMode, error) {
	probe := config.Copy()
	probe.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn, err := pgx.ConnectConfig(ctx, probe)
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var pid uint32
	if err := conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid); err != nil {
		return 0, err
	}
	if pid != conn.PgConn().PID() {
		return pgx.QueryExecModeCacheDescribe, nil
	}
	return config.DefaultQueryExecMode, nil
}

func open(pool *pgxpool.Pool, opts Options) (*DB, error) {
	std := stdlib.OpenDBFromPool(pool)
	orm, err := gorm.Open(gormpostgres.New(gormpostgres.Config{Conn: std}), &gorm.Config{
		Logger:                 logger.Discard, // callers get every error; a query's text may hold what people wrote
		SkipDefaultTransaction: true,           // every query is in a transaction of ours
		QueryFields:            true,           // name the columns: some are not granted, see migrations
		TranslateError:         true,
	})
	if err != nil {
		return nil, fmt.Errorf("open gorm: %w", err)
	}
	return &DB{
		pool: pool, std: std, gorm: orm, opts: opts, laterParts: make(chan struct{}, max(1, opts.MaxConnections/4)),
	}, nil
}

// Stat returns statistics of the pool of connections.
func (db *DB) Stat() *pgxpool.Stat { return db.pool.Stat() }

// Close closes every connection. It waits until those that are in use are returned.
func (db *DB) Close() error {
	err := db.std.Close()
	db.pool.Close()
	return err
}

// Ping returns an error if the database does not answer, or if no connection of the pool is free, before ctx ends.
func (db *DB) Ping(ctx context.Context) error { return db.pool.Ping(ctx) }
