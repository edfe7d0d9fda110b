// Package signin registers users and logs them in. It keeps their addresses, passwords, second factors and sessions,
// and accepts invitations.
package signin

import (
	"time"

	"dealflow/internal/account"
	"dealflow/internal/password"
	"dealflow/internal/postgres"
	"dealflow/internal/seal"
)

// Options configure a Service. Only DB is required.
type Options struct {
	DB              *postgres.DB
	SessionLifetime time.Duration    // after which a session ends, used or not; 0: the service begins no sessions
	SessionIdle     time.Duration    // without a request, after which a session ends; 0: it begins no sessions
	MailBase        string           // the beginning of mailed links, without a slash at the end; "": no mails are sent
	Passwords       *password.Hasher // nil: the service creates its own
	Seal            *seal.Box        // made for SealPurpose; nil: no second factors, and users with one cannot log in
	Now             func() time.Time // nil: time.Now
}

// Service keeps users, their passwords, second factors and sessions. It is safe for concurrent use.
type Service struct {
	db        *postgres.DB
	accounts  *account.Service
	passwords *password.Hasher
	lifetime  time.Duration // of a session
	idle      time.Duration // of a session without a request
	mailBase  string        // the beginning of mailed links; "": no mails are sent
	seal      *seal.Box     // nil if second factors cannot be checked
	now       func() time.Time
	uses      uses
}

// New returns a service that begins no sessions and sends no mails, for the commands of the operator.
func New(db *postgres.DB) *Service { return NewService(Options{DB: db}) }

// NewService returns a service with these settings.
func NewService(o Options) *Service {
	if o.Passwords == nil {
		o.Passwords = password.New(0)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Service{
		db: o.DB, accounts: account.New(o.DB), passwords: o.Passwords,
		lifetime: o.SessionLifetime, idle: o.SessionIdle,
		mailBase: o.MailBase, seal: o.Seal, now: o.Now,
	}
}

// SessionLifetime returns the longest time that a session lasts; 0 if the service begins no sessions.
func (s *Service) SessionLifetime() time.Duration { return s.lifetime }

// SendsMails reports whether the service sends mails: invitations, and links to prove an address or to set a new
// password.
func (s *Service) SendsMails() bool { return s.mailBase != "" }
