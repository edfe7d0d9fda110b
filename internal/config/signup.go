package config

import (
	"fmt"
)

// signup has the setting of who may sign up.
type signup struct {
	Mode string `env:"SIGNUP" envDefault:"closed"` // open: anybody
}

// Open reports whether anybody may sign up.
func (s *signup) Open() bool { return s.Mode == "open" }

// Validate returns an error for each setting that is wrong; nil if none is.
func (s *signup) Validate() []error {
	if s.Mode != "open" && s.Mode != "closed" {
		return []error{fmt.Errorf("SIGNUP: %q is neither open nor closed", s.Mode)}
	}
	return nil
}
