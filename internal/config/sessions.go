package config

import (
	"fmt"
	"time"
)

// sessions has the settings of how long a session lasts after a login: in all, and without a request.
type sessions struct {
	Lifetime time.Duration `env:"SESSION_LIFETIME" envDefault:"720h"` // used or not
	Idle     time.Duration `env:"SESSION_IDLE"     envDefault:"168h"` // without a request
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (s *sessions) Validate() []error {
	if s.Lifetime < time.Minute || s.Idle < time.Minute || s.Idle > s.Lifetime {
		return []error{
			fmt.Errorf("SESSION_IDLE and SESSION_LIFETIME: give at least 1m, and no longer an idle time than the lifetime "+
				"(%s, %s)",
				s.Idle, s.Lifetime),
		}
	}
	return nil
}
