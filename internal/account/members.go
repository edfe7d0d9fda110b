package account

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// Member is a membership with the user who has it.
type Member struct {
	Membership

	Name       string
	Email      string
	PictureURL *string
	ProvenAt   *time.Time // of the address; nil: it is only claimed
}

// Team is a page of an account's members, with its open invitations.
type Team struct {
	Members     []Member         // oldest first
	Next        *paging.Position // where their next page begins; nil at the end
	Invitations []openInvitation // all that can be accepted, oldest first; on the first page alone
}

// Team returns a page of an account's members; the first page also has its open invitations. The error is NotFound if
// there is no such account, and Forbidden if the caller is not a member of it.
func (s *Service) Team(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, page paging.Page,
) (Team, error) {
	team := Team{Invitations: []openInvitation{}}
	queries := []postgres.Query{postgres.Found(s.db, &team.Members, func(tx *gorm.DB) *gorm.DB {
		order := paging.Order{Columns: []paging.Column{{SQL: "m.created_at", Type: "timestamptz"}}, ID: "m.id"}
		return page.Of(order)(tx.Table("memberships m").Joins("JOIN users u ON u.id = m.user_id").Select(memberColumns).
			Where("m.account_id = ?", accountID)).Find(&[]Member{})
	})}
	if page.Number == 1 {
		queries = append(queries, postgres.Found(s.db, &team.Invitations, func(tx *gorm.DB) *gorm.DB {
			open := tx.Table("invitations").Where("account_id = ? AND accepted_at IS NULL AND expires_at > now()", accountID)
			return open.Select(invitationColumns + ", app_invitation_mail_failed(id) AS mail_failed").Order("created_at, id").
				Find(&[]openInvitation{})
		}))
	}
	if err := Read(ctx, s.db, who, accountID, queries...); err != nil {
		return team, fmt.Errorf("list members: %w", err)
	}
	team.Members, team.Next = paging.Cut(page, team.Members,
		func(m *Member) paging.Position { return paging.At(m.CreatedAt, m.ID) })
	return team, nil
}

const memberColumns = "m.id, m.account_id, m.user_id, m.role, m.created_at, u.name, u.email, u.picture_url, u.proven_at"

const selectMembers = "SELECT " + memberColumns + " FROM memberships m JOIN users u ON u.id = m.user_id "

// member returns one of the account's memberships. The error is NotFound if the account has no such membership.
func member(tx *postgres.Tx, accountID, membership uuid.UUID) (Member, error) {
	var found Member
	got := tx.Raw(selectMembers+"WHERE m.account_id = ? AND m.id = ?", accountID, membership).Scan(&found)
	if got.Error != nil {
		return Member{}, fmt.Errorf("read the membership: %w", got.Error)
	}
	if got.RowsAffected == 0 {
		return Member{}, fault.NewNotFound()
	}
	return found, nil
}

// ChangeRole sets the role of a member. The error is InvalidBody for an unknown role; NotFound if there is no such
// account or membership; Forbidden for a plain member and for somebody who is not a member, and for an admin who would
// make somebody an owner or change the role of an owner; Conflict if no owner would be left.
func (s *Service) ChangeRole(ctx context.Context, user, accountID, membership uuid.UUID, role string) (Member, error) {
	if err := checkRole(role); err != nil {
		return Member{}, err
	}
	var changed Member
	err := s.db.As(ctx, user, func(tx *postgres.Tx) error {
		callers, err := LockAsAdmin(tx, accountID)
		if err != nil {
			return err
		}
		if changed, err = member(tx, accountID, membership); err != nil {
			return err
		}
		if callers != RoleOwner && (changed.Role == RoleOwner || role == RoleOwner) {
			return fault.NewForbidden()
		}
		changed.Role = role
		if err := tx.Exec("UPDATE memberships SET role = ? WHERE account_id = ? AND id = ?", role, accountID,
			membership).Error; err != nil {
			return fmt.Errorf("change the role: %w", err)
		}
		return keepOwner(tx, accountID)
	})
	if err != nil {
		return Member{}, err
	}
	return changed, nil
}

// RemoveMember ends a membership. Members may end their own, admins also those of others who are not owners, and owners
// any. The member's companies that nobody else sees pass to the owner who joined first. The member's assignments and
// shares end, and their keys and sessions no longer have access to the account. The error is Forbidden if the user may
// not end the membership, NotFound if there is no such account or membership, and Conflict for the last owner. A plain
// member who names an unknown membership gets Forbidden.
func (s *Service) RemoveMember(ctx context.Context, user, accountID, membership uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		role, err := RequireMember(tx, accountID)
		if err != nil {
			return err
		}
		leaver, err := member(tx, accountID, membership)
		if fault.Is(err, fault.NotFound) && role == RoleMember {
			return fault.NewForbidden() // as for each membership of somebody else
		}
		if err != nil {
			return err
		}
		return remove(tx, accountID, leaver.UserID)
	})
}

// remove ends the membership of the user leaver by app_remove_member, which decides what the transaction's user may do,
// under a lock that a plain member could not take. It returns the same errors as RemoveMember.
func remove(tx *postgres.Tx, accountID, leaver uuid.UUID) error {
	var outcome string
	if err := tx.Raw("SELECT app_remove_member(?, ?)", accountID, leaver).Scan(&outcome).Error; err != nil {
		return fmt.Errorf("remove member: %w", err)
	}
	switch outcome {
	case "removed":
		return nil
	case "missing":
		return fault.NewNotFound()
	case "last_owner":
		return lastOwner()
	}
	return fault.NewForbidden()
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

// AddMember makes a user, who must exist, a member of an account with this role; the role of a user who is a member
// already is replaced. It is for the operator, and acts as the owner who joined the account first. The error is
// InvalidBody for an unknown role, NotFound if there is no such account, and Conflict if the account would have no
// owner left or the user's address is not proven.
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
