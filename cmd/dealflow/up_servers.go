package main

import (
	"cmp"
	"context"
	"errors"
	"net/url"

	"dealflow/internal/embedded"
)

// servers are what the API and the worker stand on: those that were given, and those that we started.
type servers struct {
	database   databaseURLs
	redisURL   string
	storageURL string

	postgres *embedded.Postgres // nil where one was given
	redis    *embedded.Redis    // nil where one was given
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
	err := started.startRedis()
	if err == nil && started.database.service == "" {
		err = s.startDatabase(ctx, started)
	}
	if err != nil {
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

func (s *servers) startRedis() (err error) {
	if s.redisURL != "" {
		return nil
	}
	if s.redis, err = embedded.StartRedis(); err != nil {
		return err
	}
	s.redisURL = s.redis.URL()
	return nil
}

// died is closed when the database server has ended by itself; it is nil, and so waits for ever, where one was given.
func (s *servers) died() <-chan struct{} {
	if s.postgres == nil {
		return nil
	}
	return s.postgres.Done()
}

func (s *servers) stop() error {
	if s.redis != nil {
		s.redis.Stop()
	}
	if s.postgres != nil {
		return s.postgres.Stop()
	}
	return nil
}
