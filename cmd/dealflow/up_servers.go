package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/url"

	"golang.org/x/sync/errgroup"

	"dealflow/internal/embedded"
)

// servers has the addresses of the servers that the API and the worker use, and the servers that this process started.
type servers struct {
	database   databaseURLs
	redisURL   string
	storageURL string

	postgres *embedded.Postgres // nil if DATABASE_URL is set
	redis    *kept              // nil if REDIS_URL is set
}

func (s *supervisor) startServers(ctx context.Context) (*servers, error) {
	started := &servers{
		database:   databaseURLs{service: s.cfg.Database.URL, migrate: cmp.Or(s.cfg.Migration.URL, s.cfg.Database.URL)},
		redisURL:   s.cfg.Redis.URL,
		storageURL: s.cfg.Storage.URL,
	}
	if started.storageURL == "" {
		folder := url.URL{Scheme: "file", Path: s.dir.path("files")}
		started.storageURL = folder.String()
	}
	redis, err := s.findRedis(ctx)
	if err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	if redis != nil {
		group.Go(func() error { return started.startRedis(ctx, redis, s.log) })
	}
	if started.database.service == "" {
		group.Go(func() error { return s.startDatabase(ctx, started) })
	}
	if err := group.Wait(); err != nil {
		return nil, errors.Join(err, started.stop())
	}
	return started, nil
}

func (s *supervisor) startDatabase(ctx context.Context, started *servers) (err error) {
	if started.postgres, err = startPostgres(ctx, s.cfg.Embedded, s.log); err != nil {
		return err
	}
	started.database = databaseURLs{service: started.postgres.URL(), migrate: started.postgres.AdminURL()}
	return nil
}

// findRedis returns the embedded Redis server, whose binary it finds or fetches. It does not start it. It returns nil
// if REDIS_URL is set.
func (s *supervisor) findRedis(ctx context.Context) (*embedded.Redis, error) {
	if s.cfg.Redis.URL != "" {
		return nil, nil
	}
	return embedded.NewRedis(ctx, embedded.RedisOptions{
		Dir: s.dir.path("redis"), Finder: s.dir.finder(s.cfg.Embedded, s.log), Logger: s.log,
		Log: &lineLog{ctx: context.WithoutCancel(ctx), log: s.log.With("server", "redis")},
	})
}

// startRedis starts Redis, sets redisURL, and starts Redis again whenever it dies. Its data is then lost; the sweep of
// a worker queues again the work that was in it.
func (s *servers) startRedis(ctx context.Context, server *embedded.Redis, log *slog.Logger) (err error) {
	if s.redis, err = keep(ctx, process{name: "redis", start: server.Start, log: log}); err != nil {
		return err
	}
	s.redis.wasReady.Store(true)
	s.redisURL = server.URL()
	return nil
}

// died returns a channel that is closed when the embedded database server ends. If DATABASE_URL is set, it returns nil,
// a channel that is never ready.
func (s *servers) died() <-chan struct{} {
	if s.postgres == nil {
		return nil
	}
	return s.postgres.Done()
}

func (s *servers) stop() error {
	err := s.redis.stop()
	if s.postgres != nil {
		err = errors.Join(err, s.postgres.Stop())
	}
	return err
}
