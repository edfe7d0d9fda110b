package signin

import (
	"context"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	passwords "dealflow/internal/password"
	"dealflow/internal/postgres"
)

// Registration is what a new user sends.
type Registration struct {
	Email       string
	Name        string
	Password    string
	AccountName string
}

// Register creates a user and an account that they own, and begins a session. It calls seed as account.Service.Create
// does. The address is not proven yet: if the service sends mails, Register mails a link that proves it, unless the
// address got outbox.PerHour such mails in the last hour. The error is InvalidBody if a member is invalid, that of
// seed, or Unavailable if too many passwords are being hashed. After an error nothing is stored, unless it is
// postgres.ErrOutcomeUnknown.
func (s *Service) Register(
	ctx context.Context, in Registration, seed func(*postgres.Tx, uuid.UUID) error,
) (Entry, error) {
	newcomer, accountName, err := in.read()
	if err != nil {
		return Entry{}, err
	}
	if newcomer.others, err = s.claims(ctx, newcomer.email); err != nil {
		return Entry{}, err
	}
	newcomer.home = uuid.New()
	return s.enter(ctx, newcomer, func(tx *postgres.Tx) error {
		if err := account.Insert(tx, newcomer.home, accountName, seed); err != nil {
			return err
		}
		return s.mailVerification(tx, newcomer.email)
	})
}

// Check returns InvalidBody, which names every invalid member, or nil.
func (in Registration) Check() error {
	_, _, err := in.read()
	return err
}

func (in Registration) read() (newcomer, string, error) {
	accountName, errAccount := account.CheckName("account_name", in.AccountName)
	read, err := readNewcomer(in.Email, in.Name, in.Password)
	return read, accountName, fault.All(err, errAccount)
}

// newcomer is a user who is to be created.
type newcomer struct {
	email, name, password string

	home   uuid.UUID // the account that they join first
	others []claim   // the other users with the address
}

// readNewcomer checks what a new user sent, and returns it without home and others. The error is InvalidBody, which
// names every invalid member.
func readNewcomer(email, name, password string) (newcomer, error) {
	email, errEmail := account.Address(email)
	name, errName := account.CheckName("name", name)
	return newcomer{
		email: email, name: name, password: password,
	}, fault.All(errEmail, errName, passwords.Check("password", password))
}

// enter creates the user, begins their session and returns it. In the same transaction, as the new user, it calls join,
// which must make the user a member of the account n.home. After an error nothing is stored, unless it is
// postgres.ErrOutcomeUnknown.
func (s *Service) enter(ctx context.Context, n newcomer, join func(*postgres.Tx) error) (Entry, error) {
	hash, err := s.hash(ctx, n.password, n.others)
	if err != nil {
		return Entry{}, err
	}
	id := uuid.New()
	var entry Entry
	err = s.db.Write(ctx, id, func(tx *postgres.Tx) error {
		if err := insertUser(tx, id, n.email, n.name, hash, uuid.NullUUID{UUID: n.home, Valid: true}); err != nil {
			return err
		}
		if err := join(tx); err != nil {
			return err
		}
		entry, err = s.begin(tx)
		return err
	})
	return entry, err
}
