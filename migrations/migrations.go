// Package migrations has the schema as goose SQL files, embedded in every binary. The schema changes only here.
package migrations

import "embed"

// Files are the numbered goose migrations, for postgres.Migrate and postgres.DB.Check.
//
//go:embed [0-9]*.sql
var Files embed.FS
