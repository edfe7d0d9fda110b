package account

import "dealflow/internal/postgres"

// Service keeps accounts, their members and their invitations.
type Service struct {
	db       *postgres.DB
	mailBase string // what mailed links begin with; "": no mails
}

// New returns a service that sends no mails: Invite returns the token of an invitation, which the inviting user must
// pass on.
func New(db *postgres.DB) *Service { return &Service{db: db} }

// NewMailing returns a service that mails invitations. Base is what their links begin with, without a slash at the end.
func NewMailing(db *postgres.DB, base string) *Service { return &Service{db: db, mailBase: base} }
