package config

import "time"

// changes has the setting of how long entries of the feed of changes are kept.
type changes struct {
	Retention time.Duration `env:"CHANGES_RETENTION" envDefault:"720h"` // 0: forever
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (c *changes) Validate() []error {
	return keepsADay("CHANGES_RETENTION", c.Retention)
}
