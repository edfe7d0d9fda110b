package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
)

// Embedded has two folders: DataDir, with the data of the embedded servers, and the secrets and files that the dealflow
// command keeps; and PostgresBin, with Postgres's programs.
type Embedded struct {
	DataDir     string `env:"DATA_DIR" envDefault:".dealflow"`
	PostgresBin string `env:"PG_BIN"` // the folder of initdb and postgres; default: looked for
}

// Validate makes DataDir absolute, so that processes that are started with it need not run in the same folder. It
// returns an error if that fails.
func (e *Embedded) Validate() []error {
	dir, err := filepath.Abs(cmp.Or(e.DataDir, ".dealflow"))
	if err != nil {
		return []error{fmt.Errorf("DATA_DIR: %w", err)}
	}
	e.DataDir = dir
	return nil
}

// embeddable validates sections whose URL or keys may be missing, since `dealflow up` then embeds the server, uses a
// folder as the storage, or makes the keys. redis, storage and secrets are nil, all three, for commands that need the
// database alone.
type embeddable struct {
	database *database
	redis    *redis
	storage  *storage
	secrets  *secrets
}

// Validate returns an error for each setting of the sections that is wrong; nil if none is. It accepts URLs and keys
// that are missing, and changes no section.
func (e embeddable) Validate() []error {
	database := *e.database
	database.URL = cmp.Or(database.URL, "postgres://embedded")
	mistakes := database.Validate()
	if e.redis == nil {
		return mistakes
	}
	redis, storage := *e.redis, *e.storage
	redis.URL, storage.URL = cmp.Or(redis.URL, "redis://embedded"), cmp.Or(storage.URL, "file:///embedded")
	mistakes = slices.Concat(mistakes, redis.Validate(), storage.Validate())
	if len(e.secrets.Keys) > 0 {
		mistakes = append(mistakes, e.secrets.Validate()...)
	}
	return mistakes
}
