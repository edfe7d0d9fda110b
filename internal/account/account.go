// Package account keeps accounts (teams), their members and invitations, and decides what a caller may do in an
// account.
package account

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// User is a person. It does not have the hash of the password: see app_users_by_email in the migrations.
type User struct {
	ID         uuid.UUID
	Email      string
	Name       string
	PictureURL *string
	ProvenAt   *time.Time // when they proved that the address is theirs; nil: they only claim it, as others may too
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Account is a team.
type Account struct {
	ID        uuid.UUID
	Name      string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Membership says which role a user has in an account.
type Membership struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	UserID    uuid.UUID
	Role      string
	CreatedAt time.Time
}

// Create creates an account with this owner. In the same transaction, and as the owner, it calls seed with the
// account's ID, to store the records that a new account starts with; seed may be nil. The error is InvalidBody for an
// invalid name; Conflict if the owner's address is not proven.
func (s *Service) Create(
	ctx context.Context, owner uuid.UUID, name string, seed func(*postgres.Tx, uuid.UUID) error,
) (Account, error) {
	name, err := CheckName("name", name)
	if err != nil {
		return Account{}, err
	}
	var made Account
	err = s.db.As(ctx, owner, func(tx *postgres.Tx) error {
		id := uuid.New()
		if err := Insert(tx, id, name, seed); err != nil {
			return err
		}
		return tx.First(&made, "id = ?", id).Error
	})
	return made, err
}

// Insert creates an account with this id and name, whose owner is the transaction's user, and then calls seed with the
// id unless seed is nil. It does not check the name. The error is Conflict if the user's address is not proven, or the
// error of seed.
func Insert(tx *postgres.Tx, id uuid.UUID, name string, seed func(*postgres.Tx, uuid.UUID) error) error {
	if err := tx.Exec("SELECT app_create_account(?, ?, ?)", id, uuid.New(), name).Error; err != nil {
		return unproven(fmt.Errorf("create account: %w", err))
	}
	if seed == nil {
		return nil
	}
	return seed(tx, id)
}

// Service keeps accounts, their members and their invitations. It is safe for concurrent use.
type Service struct {
	db       *postgres.DB
	mailBase string // what mailed links begin with; "": no mails
}

// New returns a service that sends no mails: Invite returns the token of an invitation, which the inviting user must
// pass on.
func New(db *postgres.DB) *Service { return &Service{db: db} }

// NewMailing returns a service that mails invitations. The links in them begin with base, which has no slash at its
// end.
func NewMailing(db *postgres.DB, base string) *Service { return &Service{db: db, mailBase: base} }
