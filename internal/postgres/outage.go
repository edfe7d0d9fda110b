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

// Watch returns a Server that knows whether the database answers. The caller must close it.
func (db *DB) Watch(log *slog.Logger) *outage.Server {
	return outage.New(outage.Options{
		Name: "Postgres", Means: "requests are refused with 503, work waits", Is: IsUnreachable, Ping: db.Reach,
		Limit: 3 * time.Second, Log: log,
	})
}

// Reach returns an error if the database does not answer. It uses a connection of its own, so that a pool whose
// connections are all in use is not an error.
func (db *DB) Reach(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, db.pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	_ = conn.Close(ctx) // it has answered
	return nil
}

// OpenChecked is Open followed by Check. While the server does not answer, it tries again until ctx ends, so that a
// process may be started during an outage. It returns other errors at once, such as those of a wrong password or a
// missing migration. The caller must close the DB, which is nil after an error.
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
