package config

import (
	"fmt"
)

// operator has the login for /admin and /metrics, which are off unless both values are set.
type operator struct {
	User     string `env:"OPERATOR_USER"`
	Password string `env:"OPERATOR_PASSWORD"`
}

// Enabled reports whether the operators' pages are on.
func (o *operator) Enabled() bool { return o.User != "" }

// Validate returns an error for each setting that is wrong; nil if none is.
func (o *operator) Validate() []error {
	if (o.User == "") != (o.Password == "") {
		return []error{fmt.Errorf("OPERATOR_USER and OPERATOR_PASSWORD go together: set both or neither")}
	}
	return nil
}
