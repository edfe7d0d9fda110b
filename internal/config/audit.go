package config

import (
	"fmt"
	"time"
)

// audit has the setting of how long entries of the audit log are kept.
type audit struct {
	Retention time.Duration `env:"AUDIT_RETENTION" envDefault:"8760h"` // 0: for ever
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (a *audit) Validate() []error {
	if a.Retention != 0 && a.Retention < 24*time.Hour {
		return []error{
			fmt.Errorf("AUDIT_RETENTION: %s is too short, give at least 24h, or 0 to keep everything", a.Retention),
		}
	}
	return nil
}
