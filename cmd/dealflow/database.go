package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"dealflow/internal/account/signin"
	"dealflow/internal/config"
	"dealflow/internal/embedded"
	"dealflow/internal/postgres"
	"dealflow/migrations"
)

// databaseURLs are the URLs of one database: for the service's login, and for the login that migrates the schema. They
// are the same if DATABASE_URL is set and the URL for migrations is not.
type databaseURLs struct{ service, migrate string }

// withDatabase calls fn with the URL of the service's database: DATABASE_URL if that is set, else the database of the
// `dealflow up` that runs on DATA_DIR, else the embedded database. It starts and migrates the embedded database before
// fn, and stops it afterwards. It returns the error of fn, or the reason why the database could not be found, started
// or stopped.
func withDatabase(ctx context.Context, cfg config.Tool, log *slog.Logger, fn func(url string) error) error {
	return withDatabaseURLs(ctx, cfg, log, func(urls databaseURLs) error { return fn(urls.service) })
}

// withDatabaseURLs does what withDatabase does, but also passes the URL of the login that migrates the schema to fn.
func withDatabaseURLs(ctx context.Context, cfg config.Tool, log *slog.Logger, fn func(databaseURLs) error) error {
	if cfg.Database.URL != "" {
		return fn(databaseURLs{service: cfg.Database.URL, migrate: cmp.Or(cfg.Migration.URL, cfg.Database.URL)})
	}
	dir := dataDir(cfg.Embedded.DataDir)
	if err := dir.make(); err != nil {
		return err
	}
	urls, unlock, err := lockOrFind(ctx, dir)
	if err != nil {
		return err
	}
	if unlock == nil {
		return fn(urls)
	}
	defer unlock()
	return withEmbedded(ctx, cfg, log, fn)
}

// lockOrFind locks the data folder, and returns the function that unlocks it. If an `up` has locked the folder, it
// returns the URLs of that `up`'s database and a nil unlock. If the folder is locked and the URLs are not known yet, it
// tries again for up to a minute, and then returns an error.
func lockOrFind(ctx context.Context, dir dataDir) (urls databaseURLs, unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		unlock, err = dir.lock("command")
		other, held := errors.AsType[*inUse](err)
		if !held {
			return databaseURLs{}, unlock, err
		}
		if r, ok := dir.running(other.pid); ok {
			return databaseURLs{service: r.DatabaseURL, migrate: r.MigrateURL}, nil, nil
		}
		if pause(ctx, 50*time.Millisecond) != nil {
			return databaseURLs{}, nil, fmt.Errorf("%w (it has not announced where its database is)", other)
		}
	}
}

func withEmbedded(ctx context.Context, cfg config.Tool, log *slog.Logger, fn func(databaseURLs) error) (err error) {
	server, err := startPostgres(ctx, cfg.Embedded, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	urls := databaseURLs{service: server.URL(), migrate: server.AdminURL()}
	if err := migrate(ctx, urls); err != nil {
		return err
	}
	return fn(urls)
}

func startPostgres(ctx context.Context, cfg config.Embedded, log *slog.Logger) (*embedded.Postgres, error) {
	dir := dataDir(cfg.DataDir)
	return embedded.StartPostgres(ctx, embedded.PostgresOptions{
		Dir:    dir.path("postgres"),
		Finder: dir.finder(cfg, log),
		Log:    &lineLog{ctx: ctx, log: log.With("server", "postgres")},
		Logger: log,
	})
}

// finder returns a Finder that looks in PG_BIN first, and stores the servers that it fetches in the data folder.
func (d dataDir) finder(cfg config.Embedded, log *slog.Logger) embedded.Finder {
	return embedded.Finder{PostgresBin: cfg.PostgresBin, Unpacked: d.path("servers"), Logger: log}
}

func migrate(ctx context.Context, urls databaseURLs) error {
	_, err := postgres.Migrate(ctx, postgres.MigrateOptions{
		URL: urls.migrate, AppURL: urls.service, Files: migrations.Files,
	})
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// withPeople opens the service's database as withDB does, and calls do with the service of users on it.
func (t *tool) withPeople(ctx context.Context, do func(*signin.Service) error) error {
	return t.withDB(ctx, func(db *postgres.DB) error { return do(signin.New(db)) })
}

// withDB opens the service's database (see withDatabase), checks that it is safe to use (see postgres.DB.Check), calls
// do, and closes the database afterwards. It returns the error of do, or the first error before; do is not called then.
func (t *tool) withDB(ctx context.Context, do func(*postgres.DB) error) error {
	cfg, err := config.LoadTool()
	if err != nil {
		return err
	}
	return withDatabase(ctx, cfg, t.logger(cfg.Log), func(url string) error {
		db, err := postgres.Open(ctx, url, postgres.Options{MaxConnections: 2})
		if err != nil {
			return err
		}
		defer db.Close()
		if err := db.Check(ctx, migrations.Files); err != nil {
			return err
		}
		return do(db)
	})
}
