package main

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/account/signin"
	"dealflow/internal/config"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/migrations"
)

// withPeople calls do with the service of users, on the database that withDB opens.
func (t *tool) withPeople(ctx context.Context, do func(*signin.Service) error) error {
	return t.withDB(ctx, func(db *postgres.DB) error { return do(signin.New(db)) })
}

// withDB opens the service's database (see withDatabase), checks that it is safe to use (see postgres.DB.Check), and
// calls do. It closes the database afterwards.
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

// userByEmail returns the id of the user who has proven an address. If there is none, the error says how to create one.
func userByEmail(ctx context.Context, people *signin.Service, email string) (uuid.UUID, error) {
	id, err := people.UserByEmail(ctx, email)
	if fault.Is(err, fault.NotFound) {
		return uuid.Nil, fmt.Errorf(
			"no user has proven the address %q: make one with dealflow user create, or prove one with dealflow user verify",
			email,
		)
	}
	return id, err
}

// parseID parses the id that was given with a flag. The error names the flag.
func parseID(flag, given string) (uuid.UUID, error) {
	id, err := uuid.Parse(given)
	if err != nil || id == uuid.Nil {
		return uuid.Nil, fmt.Errorf("--%s: %q is no id, which looks like 7c9e6679-7425-40de-944b-e07fc1f90ae7", flag, given)
	}
	return id, nil
}
