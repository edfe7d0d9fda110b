package config

import (
	"fmt"
)

// database has the settings of the connection to Postgres: the URL, and the maximum number of connections of a process.
type database struct {
	URL            string `env:"DATABASE_URL"`
	MaxConnections int    `env:"DATABASE_MAX_CONNECTIONS" envDefault:"20"`
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (d *database) Validate() []error {
	mistakes := scheme("DATABASE_URL", d.URL, "postgres", "postgresql")
	if d.MaxConnections < 2 {
		mistakes = append(mistakes, fmt.Errorf("DATABASE_MAX_CONNECTIONS: %d is too few, give at least 2", d.MaxConnections))
	}
	return mistakes
}
