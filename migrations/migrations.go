// Package migrations holds the schema as goose SQL files, embedded in every binary. It is the only place where the
// schema changes.
package migrations

import "embed"

// Files are the numbered goose migrations, for postgres.Migrate and postgres.DB.Check.
//
//go:embed [0-9]*.sql
var Files embed.FS
