package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"dealflow/internal/outage"
)

// Watch returns the state of the database's server. Close it.
func (db *DB) Watch(log *slog.Logger) *outage.Server {
	return outage.New(outage.Options{
		Name: "Postgres", Means: "requests are refused with 503, work waits", Is: IsUnreachable, Ping: db.Reach,
		Limit: 3 * time.Second, Log: log,
	})
}

// Reach asks the server on a connection of its own, so that it says nothing of a pool whose connections are all in use.
func (db *DB) Reach(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, db.pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	_ = conn.Close(ctx) // it has answered
	return nil
}

// OpenChecked is Open and then Check. A server that does not answer is waited for, until ctx ends: a process that
// starts during an outage works once that is over. What waiting does not heal, such as a wrong password or a missing
// migration, is returned.
func OpenChecked(ctx context.Context, url string, opts Options, files fs.FS, log *slog.Logger) (db *DB, err error) {
	err = outage.Await(ctx, outage.Options{Name: "Postgres", Is: IsUnreachable, Log: log},
		func(ctx context.Context) error {
			opened, err := Open(ctx, url, opts)
			if err != nil {
				return err
			}
			if err := opened.Check(ctx, files); err != nil {
				return errors.Join(err, opened.Close())
			}
			db = opened
			return nil
		})
	return db, err
}
