package config

import (
	"fmt"
)

// Database is the Postgres that holds everything.
type Database struct {
	URL            string `env:"DATABASE_URL"`
	MaxConnections int    `env:"DATABASE_MAX_CONNECTIONS" envDefault:"20"`
}

// Validate returns what is wrong.
func (d *Database) Validate() []error {
	mistakes := scheme("DATABASE_URL", d.URL, "postgres", "postgresql")
	if d.MaxConnections < 2 {
		mistakes = append(mistakes, fmt.Errorf("DATABASE_MAX_CONNECTIONS: %d is too few, give at least 2", d.MaxConnections))
	}
	return mistakes
}
