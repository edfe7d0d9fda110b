package config

import (
	"fmt"
)

// Signup is who may make a user and an account for themselves.
type Signup struct {
	Mode string `env:"SIGNUP" envDefault:"closed"` // open: anybody
}

// Open reports whether anybody may.
func (s *Signup) Open() bool { return s.Mode == "open" }

// Validate returns what is wrong.
func (s *Signup) Validate() []error {
	if s.Mode != "open" && s.Mode != "closed" {
		return []error{fmt.Errorf("SIGNUP: %q is neither open nor closed", s.Mode)}
	}
	return nil
}
