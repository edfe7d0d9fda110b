package account

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account/outbox"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/secret"
)

// Invitation lets a person who has its token, and the address that it was made for, join an account. The hash of the
// token is stored beside it and is not read.
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

// openInvitation is an invitation that can be accepted: neither accepted yet nor expired.
type openInvitation struct {
	Invitation

	MailFailed bool // its mail was given up: the mail server refused it, or did not accept it for too long
}

const invitationColumns = "id, account_id, email, role, invited_by, expires_at, accepted_at, created_at"

// Invite creates an invitation and mails it. If no mail is sent, because the service sends none, the address was mailed
// too often or the account has had too many mailed, it returns the token instead, which cannot be read again later. The
// invitation replaces an open one for the same address. The error is InvalidBody for an invalid address or role;
// NotFound if there is no such account; Forbidden for a plain member, for somebody who is not a member, and for an
// admin who would invite an owner; Conflict if a member of the account has the address.
func (s *Service) Invite(
	ctx context.Context, user, accountID uuid.UUID, email, role string,
) (Invitation, string, error) {
	email, errEmail := Address(email)
	if err := fault.All(errEmail, checkRole(role)); err != nil {
		return Invitation{}, "", err
	}
	token := secret.New()
	var made Invitation
	var mailed bool
	err := s.db.Write(ctx, user, func(tx *postgres.Tx) error {
		callers, err := LockAsAdmin(tx, accountID)
		if err != nil {
			return err
		}
		if role == RoleOwner && callers != RoleOwner {
			return fault.NewForbidden()
		}
		if err := refuseMember(tx, accountID, email); err != nil {
			return err
		}
		replaced := tx.Exec(
			"DELETE FROM invitations WHERE account_id = ? AND lower(email) = lower(?) AND accepted_at IS NULL", accountID, email,
		)
		if replaced.Error != nil {
			return fmt.Errorf("replace the invitation: %w", replaced.Error)
		}
		made, err = insertInvitation(tx, accountID, email, role, token)
		tx.Made(made)
		if err != nil || s.mailBase == "" {
			return err
		}
		mailed, err = outbox.Add(tx, outbox.Invitation, email, uuid.Nil, made.ID, s.mailBase)
		return err
	})
	if mailed {
		token = "" // the mail has another token, for its reader only
	}
	return made, token, err
}

func refuseMember(tx *postgres.Tx, accountID uuid.UUID, email string) error {
	var member bool
	err := tx.Raw(`SELECT EXISTS (SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = ?
		AND lower(u.email) = lower(?))`,
		accountID, email).Scan(&member).Error
	if err != nil {
		return fmt.Errorf("look for the member: %w", err)
	}
	if member {
		return fault.New(fault.Conflict, "already_member",
			fault.Detail{Field: "email", Message: "is a member's address already"})
	}
	return nil
}

func insertInvitation(tx *postgres.Tx, accountID uuid.UUID, email, role, token string) (Invitation, error) {
	var made Invitation
	err := tx.Raw(`INSERT INTO invitations (id, account_id, email, role, invited_by, hash, expires_at)
		VALUES (?, ?, ?, ?, ?, decode(?, 'hex'), now() + make_interval(secs => ?))
		RETURNING `+invitationColumns,
		uuid.New(), accountID, email, role, tx.UserID(), secret.Hash(token), outbox.InvitationLifetime.Seconds()).
		Scan(&made).Error
	if err != nil {
		return Invitation{}, fmt.Errorf("create invitation: %w", err)
	}
	return made, nil
}

// RevokeInvitation deletes an invitation; its token then does not work any more. The error is Forbidden for a plain
// member and for somebody who is not a member; NotFound if there is no such account, if the account has no such
// invitation, or if it was accepted.
func (s *Service) RevokeInvitation(ctx context.Context, user, accountID, invitation uuid.UUID) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		if err := RequireAdmin(tx, accountID); err != nil {
			return err
		}
		done := tx.Exec("DELETE FROM invitations WHERE account_id = ? AND id = ? AND accepted_at IS NULL", accountID,
			invitation)
		if done.Error == nil && done.RowsAffected == 0 {
			return fault.NewNotFound()
		}
		return done.Error
	})
}

// Join makes the transaction's user a member by the token of an invitation; a token that was mailed also proves the
// user's address. The error is Conflict if the user's address is not proven then, if the invitation is for another
// address, or if it is no longer open: the caller must have looked it up, so that it was used or revoked, or expired,
// only since then.
func Join(tx *postgres.Tx, token string) error {
	var joined uuid.NullUUID
	err := tx.Raw("SELECT app_accept_invitation(decode(?, 'hex'), ?)", secret.Hash(token), uuid.New()).Scan(&joined).Error
	if err != nil {
		return unproven(fmt.Errorf("accept invitation: %w", err))
	}
	if !joined.Valid {
		return fault.New(fault.Conflict, "invitation_used",
			fault.Detail{Field: "token", Message: "was used or revoked in this moment"})
	}
	return nil
}
