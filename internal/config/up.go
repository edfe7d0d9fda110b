package config

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

// LoadUp reads the settings of `dealflow up`. The error lists every setting that is wrong.
func LoadUp() (Up, error) {
	var c Up
	servers := embeddable{database: &c.Database, redis: &c.Redis, storage: &c.Storage, secrets: &c.Secrets}
	err := load(&c, &c.Embedded, servers, &c.Migration, &c.Log, &c.HTTP, &c.Worker, &c.Operator, &c.Files, &c.Limits,
		&c.Queue, &c.Reader, &c.Model, &c.Analysis)
	return c, err
}
