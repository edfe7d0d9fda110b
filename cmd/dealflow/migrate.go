package main

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"dealflow/internal/config"
	"dealflow/internal/postgres"
	"dealflow/migrations"
)

func (t *tool) migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Apply the migrations of the database's schema",
		Long: `Apply the missing migrations to the database of DATABASE_URL, and create the roles that it needs. If
MIGRATE_DATABASE_URL is set, it logs in with that, so that the service's own login owns nothing. Any number may run at
once: they wait for each other.`,
		Args: noArgs,
		RunE: t.migrate,
	}
}

func (t *tool) migrate(cmd *cobra.Command, _ []string) error {
	cfg, err := config.LoadTool()
	if err != nil {
		return err
	}
	opts := postgres.MigrateOptions{
		URL: cmp.Or(cfg.Migration.URL, cfg.Database.URL), AppURL: cfg.Database.URL, Files: migrations.Files,
	}
	if opts.URL == "" {
		return errors.New(
			"DATABASE_URL is not set: give the postgres:// URL of the database (dealflow up migrates its own by itself)",
		)
	}
	version, err := postgres.Migrate(cmd.Context(), opts)
	if err != nil {
		return err
	}
	return t.print(map[string]int64{"version": version}, "The database is at migration %d.", version)
}
