package config

// Up has the settings that `dealflow up` uses, or checks before it starts a server. If the URL of Database or Redis is
// empty, it starts an embedded server; if that of Storage is, it uses a folder. The API and the worker that it starts
// read their own settings again.
type Up struct {
	Tool
	HTTP     apiHTTP
	Worker   workerHTTP
	Bodies   bodies
	Redis    redis
	Storage  storage
	Files    files
	Secrets  secrets
	Operator operator
	Limits   limits
	Signup   signup
	Sessions sessions
	Mail     mailServer
	Queue    queue
	Reader   Reader
	Model    Model
	Audit    audit
	Changes  changes
	Analysis analysis
	Tracing  tracing
	Webhooks webhooks
}

// LoadUp reads the settings of `dealflow up`. The error lists every setting that is wrong.
func LoadUp() (Up, error) {
	var c Up
	servers := embeddable{database: &c.Database, redis: &c.Redis, storage: &c.Storage, secrets: &c.Secrets}
	err := load(&c, &c.Embedded, servers, &c.Migration, &c.Log, &c.HTTP, &c.Worker, &c.Bodies, &c.Operator, &c.Files,
		&c.Limits, &c.Signup, &c.Sessions, &c.Mail, &c.Queue, &c.Reader, &c.Model, &c.Audit, &c.Changes, &c.Analysis,
		&c.Tracing, &c.Webhooks)
	return c, err
}
