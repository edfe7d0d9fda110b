// Package account keeps accounts (teams), their members and invitations, and decides what a caller may do in an
// account.
package account

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// User is a person. The password's hash is not part of it: see app_users_by_email in the migrations.
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
// account's ID, to store what a new account starts with; seed may be nil. The error is InvalidBody for a wrong name;
// Conflict if the owner's address is not proven.
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

// Insert creates an account whose owner is the transaction's user, and then calls seed with its ID unless seed is nil.
// It does not check the name. The error is Conflict if the user's address is not proven, or the error of seed.
func Insert(tx *postgres.Tx, id uuid.UUID, name string, seed func(*postgres.Tx, uuid.UUID) error) error {
	if err := tx.Exec("SELECT app_create_account(?, ?, ?)", id, uuid.New(), name).Error; err != nil {
		return unproven(fmt.Errorf("create account: %w", err))
	}
	if seed == nil {
		return nil
	}
	return seed(tx, id)
}

// unproven returns Conflict if the database refused a membership because the user's address is not proven; else the
// error itself.
func unproven(err error) error {
	if !postgres.Violates(err, "memberships_proven") {
		return err
	}
	return fault.New(fault.Conflict, "unproven_address", fault.Detail{
		Field:   "email",
		Message: "is not proven: open the link that was mailed to it, or ask the operator to run dealflow user verify",
	}).Because(err)
}

// AddMember makes a user a member of an account with this role; the role of a user who is a member already is replaced.
// It is for the operator, and acts as the account's oldest owner. The error is InvalidBody for an unknown role,
// NotFound if there is no such account, and Conflict if the account would have no owner left or the user's address is
// not proven.
func (s *Service) AddMember(ctx context.Context, accountID, user uuid.UUID, role string) (Membership, error) {
	if err := checkRole(role); err != nil {
		return Membership{}, err
	}
	owner, err := s.oldestOwner(ctx, accountID)
	if err != nil {
		return Membership{}, err
	}
	var made Membership
	err = s.db.As(ctx, owner, func(tx *postgres.Tx) error {
		if _, err := LockAsAdmin(tx, accountID); err != nil {
			return err
		}
		query := `INSERT INTO memberships (id, account_id, user_id, role) VALUES (?, ?, ?, ?)
			ON CONFLICT (account_id, user_id) DO UPDATE SET role = EXCLUDED.role RETURNING *`
		if err := tx.Raw(query, uuid.New(), accountID, user, role).Scan(&made).Error; err != nil {
			return unproven(err)
		}
		return keepOwner(tx, accountID)
	})
	if err != nil {
		return Membership{}, fmt.Errorf("add member: %w", err)
	}
	return made, nil
}

func (s *Service) oldestOwner(ctx context.Context, accountID uuid.UUID) (uuid.UUID, error) {
	var owner uuid.NullUUID
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_oldest_owner(?)", accountID).Scan(&owner).Error
	})
	if err != nil {
		return uuid.Nil, fmt.Errorf("find the account's owner: %w", err)
	}
	if !owner.Valid {
		return uuid.Nil, fault.NewNotFound()
	}
	return owner.UUID, nil
}

// Role returns a user's role in an account. The error is NotFound if there is no such account, Forbidden if they are
// not a member.
func (s *Service) Role(ctx context.Context, user, accountID uuid.UUID) (role string, err error) {
	err = s.db.As(ctx, user, func(tx *postgres.Tx) error {
		role, err = RequireMember(tx, accountID)
		return err
	})
	return role, err
}

// IsMember returns a query that sets role to the caller's role in the account. It fails with NotFound if there is no
// such account, and with Forbidden if the caller is not a member.
func IsMember(role *string, accountID uuid.UUID) postgres.Query {
	var found *string
	return postgres.Value(&found, "SELECT app_account_role($1)", accountID).Then(func() error {
		switch {
		case found == nil:
			return fault.NewNotFound()
		case *found == "":
			return fault.NewForbidden()
		}
		*role = *found
		return nil
	})
}

// Read runs queries for the caller who, in one round trip. The error is NotFound if there is no such account, and
// Forbidden if the caller is not a member of it; then no query sets its result.
func Read(ctx context.Context, db *postgres.DB, who *postgres.Identity, accountID uuid.UUID,
	queries ...postgres.Query,
) error {
	var role string
	return db.Read(ctx, who, append([]postgres.Query{IsMember(&role, accountID)}, queries...)...)
}

// ReadAsAdmin is Read for owners and admins: the error is Forbidden for a plain member too.
func ReadAsAdmin(
	ctx context.Context, db *postgres.DB, who *postgres.Identity, accountID uuid.UUID, queries ...postgres.Query,
) error {
	var role string
	isAdmin := IsMember(&role, accountID).Then(func() error {
		if role == RoleMember {
			return fault.NewForbidden()
		}
		return nil
	})
	return db.Read(ctx, who, append([]postgres.Query{isAdmin}, queries...)...)
}

// RequireMember returns the role of the transaction's user in an account. The error is NotFound if there is no such
// account, Forbidden if they are not a member.
func RequireMember(tx *postgres.Tx, accountID uuid.UUID) (string, error) {
	var role string
	if err := tx.Run(IsMember(&role, accountID)); err != nil {
		return "", fmt.Errorf("read the role in account %s: %w", accountID, err)
	}
	return role, nil
}

// ForMember returns a function that runs fn where the transaction's user is a member of the account, and otherwise
// returns the error of RequireMember.
func ForMember(accountID uuid.UUID, fn func(*postgres.Tx) error) func(*postgres.Tx) error {
	return func(tx *postgres.Tx) error {
		if _, err := RequireMember(tx, accountID); err != nil {
			return err
		}
		return fn(tx)
	}
}

// AsMember runs fn in a transaction of the user if the user is a member of the account. Otherwise it returns the error
// of RequireMember.
func AsMember(ctx context.Context, db *postgres.DB, user, accountID uuid.UUID, fn func(*postgres.Tx) error) error {
	return db.As(ctx, user, ForMember(accountID, fn))
}

// RequireAdmin returns an error unless the transaction's user is an owner or admin of the account: NotFound if there is
// no such account, otherwise Forbidden.
func RequireAdmin(tx *postgres.Tx, accountID uuid.UUID) error {
	role, err := RequireMember(tx, accountID)
	if err == nil && role == RoleMember {
		return fault.NewForbidden()
	}
	return err
}

// LockAsAdmin is RequireAdmin that also returns the role, and locks the account's row: until the transaction ends, no
// other transaction that calls LockAsAdmin for this account goes on.
func LockAsAdmin(tx *postgres.Tx, accountID uuid.UUID) (string, error) {
	// Row security hides the row from a user who is no admin, who then locks nothing. The role is read after the wait for
	// the lock, since it may have changed meanwhile.
	if err := tx.Exec("SELECT 1 FROM accounts WHERE id = ? FOR NO KEY UPDATE", accountID).Error; err != nil {
		return "", fmt.Errorf("lock account %s: %w", accountID, err)
	}
	role, err := RequireMember(tx, accountID)
	if err == nil && role == RoleMember {
		return "", fault.NewForbidden()
	}
	return role, err
}

// keepOwner returns Conflict if the account has no owner. It must be called after a change, in a transaction that has
// called LockAsAdmin.
func keepOwner(tx *postgres.Tx, accountID uuid.UUID) error {
	var owner uuid.NullUUID
	if err := tx.Raw("SELECT app_oldest_owner(?)", accountID).Scan(&owner).Error; err != nil {
		return fmt.Errorf("find the account's owner: %w", err)
	}
	if !owner.Valid {
		return lastOwner()
	}
	return nil
}

func lastOwner() error {
	return fault.New(fault.Conflict, "last_owner",
		fault.Detail{Field: "role", Message: "an account needs an owner: make another member owner first"})
}
