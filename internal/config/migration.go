package config

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
