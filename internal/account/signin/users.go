package signin

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// CreateUser creates a user whose address counts as proven, since the operator vouches for it. If password is "", the
// user can use API keys but cannot log in. The error is InvalidBody and names the first invalid value, or Conflict if
// another user has proven the address.
func (s *Service) CreateUser(ctx context.Context, email, name, password string) (account.User, error) {
	email, err := account.Address(email)
	if err != nil {
		return account.User{}, err
	}
	if name, err = account.CheckName("name", name); err != nil {
		return account.User{}, err
	}
	hash, err := s.hash(ctx, password, nil)
	if err != nil {
		return account.User{}, err
	}
	var made account.User
	id := uuid.New()
	err = s.db.As(ctx, id, func(tx *postgres.Tx) error {
		if err := insertUser(tx, id, email, name, hash, uuid.NullUUID{}); err != nil {
			return err
		}
		return tx.First(&made, "id = ?", id).Error
	})
	return made, err
}

// insertUser creates the user with this id, who must be the transaction's user. A user without a home account counts as
// having proven the address; the error is Conflict if another user has proven it. hash may be nil.
func insertUser(tx *postgres.Tx, id uuid.UUID, email, name string, hash *string, home uuid.NullUUID) error {
	err := tx.Exec("SELECT app_create_user(?, ?, ?, ?, ?)", id, email, name, hash, home).Error
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return fault.New(fault.Conflict, "email_taken",
			fault.Detail{Field: "email", Message: "a user with this address exists"}).Because(err)
	}
	if err != nil {
		return fmt.Errorf("create user: %w", err)
	}
	return nil
}

// UserByEmail returns the id of the user who has proven this address, ignoring case. The error is NotFound if no user
// has proven it.
func (s *Service) UserByEmail(ctx context.Context, email string) (uuid.UUID, error) {
	claims, err := s.claims(ctx, email)
	if err != nil {
		return uuid.Nil, err
	}
	if len(claims) == 0 || !claims[0].Proven {
		return uuid.Nil, fault.New(fault.NotFound, "not_found",
			fault.Detail{Field: "email", Message: "no user has proven this address"})
	}
	return claims[0].UserID, nil
}

// UserForOperator returns the id of the user with this address. With home it is the user who joined the account home
// before any other account. Without home it is the user who has proven the address or, if nobody has, the only user who
// claims it. The error is NotFound if there is no such user, and Conflict if there are several.
func (s *Service) UserForOperator(ctx context.Context, email string, home uuid.NullUUID) (uuid.UUID, error) {
	claims, err := s.claims(ctx, email)
	if err != nil {
		return uuid.Nil, err
	}
	var meant []uuid.UUID
	for _, c := range claims {
		if c.Proven && !home.Valid {
			return c.UserID, nil
		}
		if !home.Valid || c.HomeAccountID == home {
			meant = append(meant, c.UserID)
		}
	}
	switch len(meant) {
	case 0:
		return uuid.Nil, fault.New(fault.NotFound, "not_found",
			fault.Detail{Field: "email", Message: "no user has this address"})
	case 1:
		return meant[0], nil
	}
	return uuid.Nil, fault.New(fault.Conflict, "ambiguous_address", fault.Detail{
		Field:   "email",
		Message: "several users claim this address: name the account that let in the one you mean with --account",
	})
}

// ProveUser marks a user's address as proven, since the operator vouches for it. The error is Conflict if another user
// has proven it, and NotFound if there is no such user.
func (s *Service) ProveUser(ctx context.Context, user uuid.UUID) error {
	var proven bool
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_prove_user(?)", user).Scan(&proven).Error
	})
	if err != nil {
		return fmt.Errorf("prove the address: %w", err)
	}
	if proven {
		return nil
	}
	if _, err := s.accounts.UserByID(ctx, user, user); err != nil {
		return err
	}
	return provenElsewhere()
}

func provenElsewhere() error {
	return fault.New(fault.Conflict, "email_taken",
		fault.Detail{Field: "email", Message: "another user has proven this address"})
}
