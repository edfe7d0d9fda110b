package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"dealflow/internal/outage"
)

// Watch returns the state of the database's server. Close it.
func (db *DB) Watch(log *slog.Logger) *outage.Server {
	return outage.New(outage.Options{
		Name: "Postgres", Means: "requests are refused with 503, work waits", Is: IsUnreachable, Ping: db.Reach, Limit: 3 * time.Second, Log: log,
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
