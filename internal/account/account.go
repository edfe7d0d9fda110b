// Package account says who may: users, accounts (teams), memberships and API keys.
package account

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
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

// Service keeps users, accounts, members and keys.
type Service struct{ db *postgres.DB }

// New makes the service on a database.
func New(db *postgres.DB) *Service { return &Service{db: db} }

// Create makes an account that belongs to the owner. Seed fills it in the same transaction, as the owner; it may be nil.
func (s *Service) Create(ctx context.Context, owner uuid.UUID, name string, seed func(*postgres.Tx, uuid.UUID) error) (Account, error) {
	name, err := required("name", name)
	if err != nil {
		return Account{}, err
	}
	var made Account
	err = s.db.As(ctx, owner, func(tx *postgres.Tx) error {
		id := uuid.New()
		if err := tx.Exec("SELECT app_create_account(?, ?, ?)", id, uuid.New(), name).Error; err != nil {
			return fmt.Errorf("create account: %w", err)
		}
		if seed != nil {
			if err := seed(tx, id); err != nil {
				return err
			}
		}
		return tx.First(&made, "id = ?", id).Error
	})
	return made, err
}

// AddMember gives a user a role in an account; he has that role afterwards, also where he was a member before. It acts as the account's oldest owner, for the operator.
func (s *Service) AddMember(ctx context.Context, accountID, user uuid.UUID, role string) (Membership, error) {
	if role != RoleOwner && role != RoleAdmin && role != RoleMember {
		return Membership{}, fault.Field("role", "must be owner, admin or member")
	}
	owner, err := s.oldestOwner(ctx, accountID)
	if err != nil {
		return Membership{}, err
	}
	var made Membership
	err = s.db.As(ctx, owner, func(tx *postgres.Tx) error {
		query := `INSERT INTO memberships (id, account_id, user_id, role) VALUES (?, ?, ?, ?)
			ON CONFLICT (account_id, user_id) DO UPDATE SET role = EXCLUDED.role RETURNING *`
		return tx.Raw(query, uuid.New(), accountID, user, role).Scan(&made).Error
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
