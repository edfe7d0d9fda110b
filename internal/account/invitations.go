package account

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// InvitationLifetime is how long an invitation can be accepted.
const InvitationLifetime = 7 * 24 * time.Hour

// Invitation lets whoever has its token join an account under its address. The token's hash is not part of it: nobody reads that.
type Invitation struct {
	ID         uuid.UUID
	AccountID  uuid.UUID
	Email      string
	Role       string
	InvitedBy  uuid.UUID
	ExpiresAt  time.Time
	AcceptedAt *time.Time
	CreatedAt  time.Time
}

// Invite makes an invitation and gives its token, which nobody can ask for again. It takes the place of an open one for the same
// address. Forbidden for a plain member, and for an admin who would invite an owner; Conflict where the address is a member's.
func (s *Service) Invite(ctx context.Context, user, accountID uuid.UUID, email, role string) (Invitation, string, error) {
	email, errEmail := Address(email)
	if err := allWrong(errEmail, checkRole(role)); err != nil {
		return Invitation{}, "", err
	}
	token := newSecret()
	var made Invitation
	err := s.db.As(ctx, user, func(tx *postgres.Tx) error {
		callers, err := LockAsAdmin(tx, accountID)
		if err != nil {
			return err
		}
		if role == RoleOwner && callers != RoleOwner {
			return fault.Denied()
		}
		if err := refuseMember(tx, accountID, email); err != nil {
			return err
		}
		replaced := tx.Exec("DELETE FROM invitations WHERE account_id = ? AND lower(email) = lower(?) AND accepted_at IS NULL", accountID, email)
		if replaced.Error != nil {
			return fmt.Errorf("replace the invitation: %w", replaced.Error)
		}
		made, err = insertInvitation(tx, accountID, email, role, token)
		return err
	})
	return made, token, err
}

func refuseMember(tx *postgres.Tx, accountID uuid.UUID, email string) error {
	var member bool
	err := tx.Raw(`SELECT EXISTS (SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = ? AND lower(u.email) = lower(?))`,
		accountID, email).Scan(&member).Error
	if err != nil {
		return fmt.Errorf("look for the member: %w", err)
	}
	if member {
		return fault.New(fault.Conflict, "already_member", fault.Detail{Field: "email", Message: "is a member's address already"})
	}
	return nil
}

func insertInvitation(tx *postgres.Tx, accountID uuid.UUID, email, role, token string) (Invitation, error) {
	var made Invitation
	err := tx.Raw(`INSERT INTO invitations (id, account_id, email, role, invited_by, hash, expires_at)
		VALUES (?, ?, ?, ?, ?, decode(?, 'hex'), now() + make_interval(secs => ?))
		RETURNING id, account_id, email, role, invited_by, expires_at, accepted_at, created_at`,
		uuid.New(), accountID, email, role, tx.UserID(), hexHash(token), InvitationLifetime.Seconds()).Scan(&made).Error
	if err != nil {
		return Invitation{}, fmt.Errorf("create invitation: %w", err)
	}
	return made, nil
}

// RevokeInvitation takes an invitation back, whose token works no more at once. Forbidden for a plain member, NotFound where the account
// has no such invitation that nobody accepted.
func (s *Service) RevokeInvitation(ctx context.Context, user, accountID, invitation uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		if err := RequireAdmin(tx, accountID); err != nil {
			return err
		}
		done := tx.Exec("DELETE FROM invitations WHERE account_id = ? AND id = ? AND accepted_at IS NULL", accountID, invitation)
		if done.Error == nil && done.RowsAffected == 0 {
			return fault.Missing()
		}
		return done.Error
	})
}

// Acceptance is what an invited person sends. A newcomer gives a name and chooses a password; who is a user already gives the password
// that he has, unless Caller says that he has shown who he is.
type Acceptance struct {
	Token    string
	Name     string
	Password string
	Caller   uuid.UUID // uuid.Nil for nobody
}

// Accept makes the invited person a member and begins a session of his. NotFound for a token that nobody was given, or that was revoked or
// replaced; Conflict for one that was used or has expired; Unauthenticated where a user's password is another.
func (s *Service) Accept(ctx context.Context, in Acceptance, guard Guard) (Entry, error) {
	email, err := s.invited(ctx, in.Token)
	if err != nil {
		return Entry{}, err
	}
	known, err := s.credentials(ctx, email)
	if err != nil {
		return Entry{}, err
	}
	join := func(tx *postgres.Tx) error { return accept(tx, in.Token) }
	if !known.UserID.Valid {
		newcomer, err := readNewcomer(email, in.Name, in.Password)
		if err != nil {
			return Entry{}, err
		}
		return s.enter(ctx, newcomer, join)
	}
	// The token is no proof of who somebody is: whoever invited him has it too.
	if known.UserID.UUID != in.Caller {
		if _, err := s.verify(ctx, email, in.Password, guard); err != nil {
			return Entry{}, err
		}
	}
	var entry Entry
	err = s.db.As(ctx, known.UserID.UUID, func(tx *postgres.Tx) error {
		if err := join(tx); err != nil {
			return err
		}
		entry, err = begin(tx)
		return err
	})
	return entry, err
}

// invited gives the address that a token was made for.
func (s *Service) invited(ctx context.Context, token string) (string, error) {
	var found struct {
		InvitationID  uuid.NullUUID
		Email         string
		Used, Expired bool
	}
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_invitation_by_hash(decode(?, 'hex'))", hexHash(token)).Scan(&found).Error
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("look up invitation: %w", err)
	case !found.InvitationID.Valid:
		return "", fault.Missing()
	case found.Used:
		return "", fault.New(fault.Conflict, "invitation_used", fault.Detail{Field: "token", Message: "was used already: log in instead"})
	case found.Expired:
		return "", fault.New(fault.Conflict, "invitation_expired", fault.Detail{Field: "token", Message: "has expired: ask for another invitation"})
	}
	return found.Email, nil
}

// Invited is what whoever has an invitation's token may know of it.
type Invited struct {
	Email       string
	AccountName string
	Inviter     string        // the name of who invited
	User        uuid.NullUUID // who has the address already
}

// Invited looks at an invitation without accepting it. It fails as Accept does for a token that cannot be accepted.
func (s *Service) Invited(ctx context.Context, token string) (Invited, error) {
	email, err := s.invited(ctx, token)
	if err != nil {
		return Invited{}, err
	}
	found := Invited{Email: email}
	err = s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT account_name, inviter FROM app_invitation_page(decode(?, 'hex'))", hexHash(token)).Row().Scan(&found.AccountName, &found.Inviter)
	})
	if err != nil {
		return Invited{}, fmt.Errorf("read invitation: %w", err)
	}
	known, err := s.credentials(ctx, email)
	found.User = known.UserID
	return found, err
}

// accept joins the transaction's user. What invited found may have changed since.
func accept(tx *postgres.Tx, token string) error {
	var joined uuid.NullUUID
	err := tx.Raw("SELECT app_accept_invitation(decode(?, 'hex'), ?)", hexHash(token), uuid.New()).Scan(&joined).Error
	if err != nil {
		return fmt.Errorf("accept invitation: %w", err)
	}
	if !joined.Valid {
		return fault.New(fault.Conflict, "invitation_used", fault.Detail{Field: "token", Message: "was used or revoked in this moment"})
	}
	return nil
}
