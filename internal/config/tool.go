package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
)

// Tool is what the operator's commands need: a database, or the folder of the embedded one.
type Tool struct {
	Embedded  Embedded
	Database  database
	Migration migration
	Log       Log
}

// Up is what `dealflow up` needs to run everything: all that its API and its worker need, which it checks before it
// starts a server. It embeds each server whose URL is not set.
type Up struct {
	Tool
	HTTP     apiHTTP
	Worker   workerHTTP
	Redis    redis
	Storage  storage
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
	err := load(&c, &c.Embedded, servers, &c.Migration, &c.Log, &c.HTTP, &c.Worker, &c.Operator, &c.Limits, &c.Queue,
		&c.Reader, &c.Model, &c.Analysis)
	return c, err
}

// Embedded is where the embedded servers keep their data, and where Postgres's programs are.
type Embedded struct {
	DataDir     string `env:"DATA_DIR" envDefault:".dealflow"`
	PostgresBin string `env:"PG_BIN"` // the folder of initdb and postgres; default: looked for
}

// Validate also makes DataDir absolute, so that the processes that are started with it need not share a folder.
func (e *Embedded) Validate() []error {
	dir, err := filepath.Abs(cmp.Or(e.DataDir, ".dealflow"))
	if err != nil {
		return []error{fmt.Errorf("DATA_DIR: %w", err)}
	}
	e.DataDir = dir
	return nil
}

// migration is as whom the schema is made, where the service's own login may not.
type migration struct {
	URL string `env:"MIGRATE_DATABASE_URL"` // default: DATABASE_URL
}

// Validate returns what is wrong.
func (m *migration) Validate() []error {
	if m.URL == "" {
		return nil
	}
	return scheme("MIGRATE_DATABASE_URL", m.URL, "postgres", "postgresql")
}

// embeddable checks sections that may lack what each of them needs most, since it is embedded then.
type embeddable struct {
	database *database
	redis    *redis
	storage  *storage
	secrets  *secrets
}

// Validate asks each section as if it had what is embedded.
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
