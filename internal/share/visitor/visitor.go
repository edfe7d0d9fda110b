// Package visitor opens shared links for people without an account: it checks passwords, reads the addresses of
// visitors, shows the present content of a link, and records who saw it.
package visitor

import (
	"errors"
	"fmt"
	"time"

	"dealflow/internal/fault"
	"dealflow/internal/password"
	"dealflow/internal/postgres"
)

// Deps are the dependencies of the service. All are required.
type Deps struct {
	DB        *postgres.DB
	Secrets   [][]byte // at least one; the first signs passes of visitors, each may verify them
	Now       func() time.Time
	Passwords *password.Hasher // for the passwords of links; the same one as in share.Deps
}

// Service opens shared links.
type Service struct {
	deps Deps
}

// New returns the service.
func New(deps Deps) *Service { return &Service{deps: deps} }

// single returns NotFound if no row was found. If err is not nil, it returns err with what in front.
func single(found int64, err error, what string) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if found == 0 {
		return fault.NewNotFound().Because(errors.New(what))
	}
	return nil
}
