package config

import (
	"fmt"
	"time"
)

// changes has the setting of how long entries of the feed of changes are kept.
type changes struct {
	Retention time.Duration `env:"CHANGES_RETENTION" envDefault:"720h"` // 0: for ever
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (c *changes) Validate() []error {
	if c.Retention != 0 && c.Retention < 24*time.Hour {
		return []error{fmt.Errorf("CHANGES_RETENTION: %s is too short, give at least 24h, or 0 to keep everything",
			c.Retention)}
	}
	return nil
}
