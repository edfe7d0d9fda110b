package config

import (
	"fmt"
	"time"
)

// audit has the setting of how long entries of the audit log are kept.
type audit struct {
	Retention time.Duration `env:"AUDIT_RETENTION" envDefault:"8760h"` // 0: forever
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (a *audit) Validate() []error {
	return keepsADay("AUDIT_RETENTION", a.Retention)
}

// keepsADay returns an error if kept, the value of a setting, is shorter than a day. It accepts 0, which means forever.
func keepsADay(setting string, kept time.Duration) []error {
	if kept != 0 && kept < 24*time.Hour {
		return []error{fmt.Errorf("%s: %s is too short, give at least 24h, or 0 to keep everything", setting, kept)}
	}
	return nil
}
