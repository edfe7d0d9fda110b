package account

import "dealflow/internal/postgres"

// Service keeps accounts, their members and their invitations.
type Service struct {
	db       *postgres.DB
	mailBase string // what mailed links begin with; "": no mails
}

// New returns the service, which sends no mails: who invites passes the token on.
func New(db *postgres.DB) *Service { return &Service{db: db} }

// NewMailing returns the service, which mails invitations; base is what their links begin with, without a slash at the
// end.
func NewMailing(db *postgres.DB, base string) *Service { return &Service{db: db, mailBase: base} }
