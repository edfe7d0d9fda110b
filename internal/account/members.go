package account

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Member is a membership with who it is of.
type Member struct {
	Membership

	Name       string
	Email      string
	PictureURL *string
	ProvenAt   *time.Time // of the address; nil: it is only claimed
}

// Team is who belongs to an account, and who may join it.
type Team struct {
	Members     []Member     // oldest first
	Invitations []Invitation // those that can be accepted, oldest first
}

// Team gives an account's members and open invitations to a member: NotFound or Forbidden where the user may not see the account.
func (s *Service) Team(ctx context.Context, user, accountID uuid.UUID) (Team, error) {
	team := Team{Members: []Member{}, Invitations: []Invitation{}}
	err := s.db.As(ctx, user, func(tx *postgres.Tx) error {
		if _, err := RequireMember(tx, accountID); err != nil {
			return err
		}
		if err := tx.Raw(selectMembers+"WHERE m.account_id = ? ORDER BY m.created_at, m.id", accountID).Scan(&team.Members).Error; err != nil {
			return fmt.Errorf("list members: %w", err)
		}
		open := tx.Where("account_id = ? AND accepted_at IS NULL AND expires_at > now()", accountID)
		if err := open.Order("created_at, id").Find(&team.Invitations).Error; err != nil {
			return fmt.Errorf("list invitations: %w", err)
		}
		return nil
	})
	return team, err
}

const selectMembers = `SELECT m.id, m.account_id, m.user_id, m.role, m.created_at, u.name, u.email, u.picture_url, u.proven_at
	FROM memberships m JOIN users u ON u.id = m.user_id `

// member gives one of the account's memberships; NotFound where it has none such.
func member(tx *postgres.Tx, accountID, membership uuid.UUID) (Member, error) {
	var found Member
	got := tx.Raw(selectMembers+"WHERE m.account_id = ? AND m.id = ?", accountID, membership).Scan(&found)
	if got.Error != nil {
		return Member{}, fmt.Errorf("read the membership: %w", got.Error)
	}
	if got.RowsAffected == 0 {
		return Member{}, fault.Missing()
	}
	return found, nil
}

// ChangeRole gives a member another role. Forbidden for a plain member, and for an admin where an owner is made or changed; Conflict where
// no owner would be left.
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
			return fault.Denied()
		}
		changed.Role = role
		if err := tx.Exec("UPDATE memberships SET role = ? WHERE account_id = ? AND id = ?", role, accountID, membership).Error; err != nil {
			return fmt.Errorf("change the role: %w", err)
		}
		return keepOwner(tx, accountID)
	})
	if err != nil {
		return Member{}, err
	}
	return changed, nil
}

// RemoveMember ends a membership: everybody may leave, owners may remove anybody, admins all but owners, else Forbidden. Conflict
// for the last owner. The member's private companies pass to the oldest owner; his assignments, shares and the access of his keys and
// sessions end at once.
func (s *Service) RemoveMember(ctx context.Context, user, accountID, membership uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		role, err := RequireMember(tx, accountID)
		if err != nil {
			return err
		}
		leaver, err := member(tx, accountID, membership)
		if fault.Is(err, fault.NotFound) && role == RoleMember {
			return fault.Denied() // as for any membership but his own
		}
		if err != nil {
			return err
		}
		return remove(tx, accountID, leaver.UserID)
	})
}

// remove lets the database decide, under a lock that a plain member could not take himself.
func remove(tx *postgres.Tx, accountID, leaver uuid.UUID) error {
	var outcome string
	if err := tx.Raw("SELECT app_remove_member(?, ?)", accountID, leaver).Scan(&outcome).Error; err != nil {
		return fmt.Errorf("remove member: %w", err)
	}
	switch outcome {
	case "removed":
		return nil
	case "missing":
		return fault.Missing()
	case "last_owner":
		return lastOwner()
	}
	return fault.Denied()
}
