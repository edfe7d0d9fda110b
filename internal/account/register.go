package account

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Registration is what a newcomer sends.
type Registration struct {
	Email       string
	Name        string
	Password    string
	AccountName string
}

// Register makes a user with an account of his own, which seed fills as in Create, and begins a session. Conflict where the address is
// taken; a refusal leaves nothing behind.
func (s *Service) Register(ctx context.Context, in Registration, seed func(*postgres.Tx, uuid.UUID) error) (Entry, error) {
	accountName, errAccount := required("account_name", in.AccountName)
	newcomer, err := readNewcomer(in.Email, in.Name, in.Password)
	if err := allWrong(err, errAccount); err != nil {
		return Entry{}, err
	}
	return s.enter(ctx, newcomer, func(tx *postgres.Tx) error {
		_, err := insertAccount(tx, accountName, seed)
		return err
	})
}

// newcomer is a user who is not made yet.
type newcomer struct{ email, name, password string }

// readNewcomer refuses every field that is wrong.
func readNewcomer(email, name, password string) (newcomer, error) {
	email, errEmail := Address(email)
	name, errName := required("name", name)
	return newcomer{email: email, name: name, password: password}, allWrong(errEmail, errName, checkPassword(password))
}

// enter makes the user and begins his session; join, in the same transaction and as him, gives him something to see.
func (s *Service) enter(ctx context.Context, n newcomer, join func(*postgres.Tx) error) (Entry, error) {
	hash, err := s.hash(ctx, n.password)
	if err != nil {
		return Entry{}, err
	}
	id := uuid.New()
	var entry Entry
	err = s.db.As(ctx, id, func(tx *postgres.Tx) error {
		if err := insertUser(tx, id, n.email, n.name, hash); err != nil {
			return err
		}
		if err := join(tx); err != nil {
			return err
		}
		entry, err = begin(tx)
		return err
	})
	return entry, err
}

// allWrong makes one refusal of several, so that a client is told every wrong field at once. An error of another kind goes before.
func allWrong(errs ...error) error {
	var details []fault.Detail
	for _, err := range errs {
		refusal, found := errors.AsType[*fault.Error](err)
		switch {
		case err == nil:
		case !found || refusal.Kind != fault.InvalidBody:
			return err
		default:
			details = append(details, refusal.Details...)
		}
	}
	if len(details) == 0 {
		return nil
	}
	return fault.New(fault.InvalidBody, "invalid_field", details...)
}
