package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
)

// Tool has the settings of the operator's commands: a database, or the folder of the embedded one.
type Tool struct {
	Embedded  Embedded
	Database  database
	Migration migration
	Log       Log
}

// Up has the settings that `dealflow up` uses, or checks before it starts a server. It starts an embedded server for
// each URL that is not set. The API and the worker that it starts read all of their own settings again.
type Up struct {
	Tool
	HTTP     apiHTTP
	Worker   workerHTTP
	Redis    redis
	Storage  storage
	Files    files
	Secrets  secrets
	Operator operator
	Limits   limits
	Queue    queue
	Reader   Reader
	Model    Model
	Analysis analysis
}

// LoadTool reads the settings of the operator's commands. The error lists every setting that is wrong.
func LoadTool() (Tool, error) {
	var c Tool
	err := load(&c, &c.Embedded, embeddable{database: &c.Database}, &c.Migration, &c.Log)
	return c, err
}

// LoadUp reads the settings of `dealflow up`. The error lists every setting that is wrong.
func LoadUp() (Up, error) {
	var c Up
	servers := embeddable{database: &c.Database, redis: &c.Redis, storage: &c.Storage, secrets: &c.Secrets}
	err := load(&c, &c.Embedded, servers, &c.Migration, &c.Log, &c.HTTP, &c.Worker, &c.Operator, &c.Files, &c.Limits,
		&c.Queue, &c.Reader, &c.Model, &c.Analysis)
	return c, err
}

// Embedded has the folders in which the embedded servers keep their data and in which Postgres's programs are.
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

// migration has the URL of the login that migrates the schema, if the login of DATABASE_URL may not.
type migration struct {
	URL string `env:"MIGRATE_DATABASE_URL"` // default: DATABASE_URL
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (m *migration) Validate() []error {
	if m.URL == "" {
		return nil
	}
	return scheme("MIGRATE_DATABASE_URL", m.URL, "postgres", "postgresql")
}

// embeddable validates sections whose URL or keys may be missing, since `dealflow up` embeds the server or makes the
// keys then. All but database are nil for commands that need the database alone.
type embeddable struct {
	database *database
	redis    *redis
	storage  *storage
	secrets  *secrets
}

// Validate returns the errors of the sections. It does not report URLs and keys that are missing: servers without a URL
// are embedded, and missing keys are made.
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

// LoadSecrets reads SECRET_KEYS alone.
func LoadSecrets() ([][]byte, error) {
	var c struct{ Secrets secrets }
	if err := load(&c, &c.Secrets); err != nil {
		return nil, err
	}
	return c.Secrets.Bytes(), nil
}
