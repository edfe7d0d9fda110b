// Package account says who may: users, accounts (teams), members and invitations, API keys and sessions.
package account

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/password"
	"dealflow/internal/postgres"
)

// Roles of a member. Members work with deals; owners and admins also change the team's settings.
const (
	RoleOwner  = "owner"
	RoleAdmin  = "admin"
	RoleMember = "member"
)

// User is a person. The password's hash is not part of it: see app_user_by_email in the migrations.
type User struct {
	ID         uuid.UUID
	Email      string
	Name       string
	PictureURL *string
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

// Service keeps users, accounts, members, invitations, keys and sessions.
type Service struct {
	db        *postgres.DB
	passwords *password.Hasher
}

// New makes the service on a database.
func New(db *postgres.DB) *Service { return &Service{db: db, passwords: password.New(0)} }

// Create makes an account that belongs to the owner. Seed fills it in the same transaction, as the owner; it may be nil.
func (s *Service) Create(ctx context.Context, owner uuid.UUID, name string, seed func(*postgres.Tx, uuid.UUID) error) (Account, error) {
	name, err := required("name", name)
	if err != nil {
		return Account{}, err
	}
	var made Account
	err = s.db.As(ctx, owner, func(tx *postgres.Tx) error {
		id, err := insertAccount(tx, name, seed)
		if err != nil {
			return err
		}
		return tx.First(&made, "id = ?", id).Error
	})
	return made, err
}

// insertAccount makes an account that belongs to the transaction's user.
func insertAccount(tx *postgres.Tx, name string, seed func(*postgres.Tx, uuid.UUID) error) (uuid.UUID, error) {
	id := uuid.New()
	if err := tx.Exec("SELECT app_create_account(?, ?, ?)", id, uuid.New(), name).Error; err != nil {
		return uuid.Nil, fmt.Errorf("create account: %w", err)
	}
	if seed == nil {
		return id, nil
	}
	return id, seed(tx, id)
}

// AddMember gives a user a role in an account; he has that role afterwards, also where he was a member before. It acts as the account's
// oldest owner, for the operator. Conflict where that would leave the account without an owner.
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
			return err
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
		return uuid.Nil, fault.Missing()
	}
	return owner.UUID, nil
}

// Role gives a user's role in an account: NotFound where there is no such account, Forbidden where he is no member.
func (s *Service) Role(ctx context.Context, user, accountID uuid.UUID) (role string, err error) {
	err = s.db.As(ctx, user, func(tx *postgres.Tx) error {
		role, err = RequireMember(tx, accountID)
		return err
	})
	return role, err
}

// RequireMember gives the role of the transaction's user in an account: NotFound where there is no such account, Forbidden where he is no member.
func RequireMember(tx *postgres.Tx, accountID uuid.UUID) (string, error) {
	var role *string
	if err := tx.Raw("SELECT app_account_role(?)", accountID).Scan(&role).Error; err != nil {
		return "", fmt.Errorf("read the role in account %s: %w", accountID, err)
	}
	switch {
	case role == nil:
		return "", fault.Missing()
	case *role == "":
		return "", fault.Denied()
	}
	return *role, nil
}

// RequireAdmin is RequireMember for owners and admins alone: Forbidden for a plain member.
func RequireAdmin(tx *postgres.Tx, accountID uuid.UUID) error {
	role, err := RequireMember(tx, accountID)
	if err == nil && role == RoleMember {
		return fault.Denied()
	}
	return err
}

// LockAsAdmin is RequireAdmin that gives the role too, and lets nobody else change the account's members and settings until the
// transaction ends.
func LockAsAdmin(tx *postgres.Tx, accountID uuid.UUID) (string, error) {
	// Row security shows no row to lock to who is no admin; the role is read after the wait, since it may have changed meanwhile.
	if err := tx.Exec("SELECT 1 FROM accounts WHERE id = ? FOR NO KEY UPDATE", accountID).Error; err != nil {
		return "", fmt.Errorf("lock account %s: %w", accountID, err)
	}
	role, err := RequireMember(tx, accountID)
	if err == nil && role == RoleMember {
		return "", fault.Denied()
	}
	return role, err
}

func checkRole(role string) error {
	if role != RoleOwner && role != RoleAdmin && role != RoleMember {
		return fault.Field("role", "must be owner, admin or member")
	}
	return nil
}

// keepOwner refuses a change, made under LockAsAdmin, that leaves the account without an owner.
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
	return fault.New(fault.Conflict, "last_owner", fault.Detail{Field: "role", Message: "an account needs an owner: make another member owner first"})
}
