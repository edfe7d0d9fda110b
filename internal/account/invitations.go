package account

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account/outbox"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/secret"
)

// Invitation lets whoever has its token join an account under its address. The token's hash is not part of it: nobody
// reads that.
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

// Invite makes an invitation and mails it; without mails it returns its token, which nobody can ask for again. It
// takes the place of an open one for the same address. Forbidden for a plain member, and for an admin who would
// invite an owner; Conflict where the address is a member's.
func (s *Service) Invite(
	ctx context.Context, user, accountID uuid.UUID, email, role string,
) (Invitation, string, error) {
	email, errEmail := Address(email)
	if err := fault.All(errEmail, checkRole(role)); err != nil {
		return Invitation{}, "", err
	}
	token := secret.New()
	var made Invitation
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
		return outbox.Add(tx, outbox.Invitation, email, uuid.Nil, made.ID, s.mailBase)
	})
	if s.mailBase != "" {
		token = "" // the mail brings another, to who reads it
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
		RETURNING id, account_id, email, role, invited_by, expires_at, accepted_at, created_at`,
		uuid.New(), accountID, email, role, tx.UserID(), secret.Hash(token), outbox.InvitationLifetime.Seconds()).
		Scan(&made).Error
	if err != nil {
		return Invitation{}, fmt.Errorf("create invitation: %w", err)
	}
	return made, nil
}

// RevokeInvitation takes an invitation back, whose token works no more at once. Forbidden for a plain member,
// NotFound where the account has no such invitation that nobody accepted.
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

// Acceptance is what an invited person sends. Who is new sends a name and chooses a password; who is a user already
// sends the password that they have, unless Caller says that they have shown who they are.
type Acceptance struct {
	Token    string
	Name     string // blank: a user already
	Password string
	TOTPCode string    // of who is a user already and has a second factor
	Caller   uuid.UUID // uuid.Nil for nobody
}

// Accept makes the invited person a member and begins a session of theirs. What it answers says nothing of who has
// the address: whoever made the invitation may have its token too. With a name, who is no known user becomes a new
// one, who only claims the address and is a member of this account alone, unless the token was mailed. NotFound for a
// token that nobody was given, or that was revoked or replaced; Conflict for one that was used or has expired;
// Unauthenticated where it is nobody's password, and no name says that somebody is new.
func (s *Service) Accept(ctx context.Context, in Acceptance, guard Guard) (Entry, error) {
	invited, err := s.invited(ctx, in.Token)
	if err != nil {
		return Entry{}, err
	}
	claims, err := s.claims(ctx, invited.Email)
	if err != nil {
		return Entry{}, err
	}
	for _, c := range claims {
		if c.UserID == in.Caller {
			return s.join(ctx, c.UserID, in.Token)
		}
	}
	return s.acceptByPassword(ctx, in, invited, claims, guard)
}

func (s *Service) acceptByPassword(
	ctx context.Context, in Acceptance, invited invitee, claims []claim, guard Guard,
) (Entry, error) {
	in.Name = strings.TrimSpace(in.Name)
	newcomer, err := readNewcomer(invited.Email, cmp.Or(in.Name, "-"), in.Password)
	if err != nil && in.Name == "" {
		err = fault.All(err, nameOfNewcomer())
	}
	if err != nil {
		return Entry{}, err
	}
	among := invited.among(claims)
	user, err := s.verify(ctx, invited.Email, in.Password, among, guard)
	switch {
	case err == nil:
		attempt := newAttempt(invited.Email, in.TOTPCode, among, guard)
		return s.admit(ctx, user, attempt, func(tx *postgres.Tx) error { return accept(tx, in.Token) })
	case !fault.Is(err, fault.Unauthenticated) || (invited.Mailed && isProven(claims)):
		return Entry{}, err
	case in.Name == "":
		return Entry{}, fault.New(fault.Unauthenticated, "invalid_credentials", nameOfNewcomer().Details...)
	}
	newcomer.home, newcomer.others = invited.AccountID, claims
	return s.enter(ctx, newcomer, func(tx *postgres.Tx) error { return accept(tx, in.Token) })
}

func nameOfNewcomer() *fault.Error { return fault.Field("name", "is required for a new user") }

// join makes a user a member and begins a session of theirs.
func (s *Service) join(ctx context.Context, user uuid.UUID, token string) (entry Entry, err error) {
	err = s.db.Write(ctx, user, func(tx *postgres.Tx) error {
		if err := accept(tx, token); err != nil {
			return err
		}
		entry, err = s.begin(tx)
		return err
	})
	return entry, err
}

// invitee is whom an invitation is for.
type invitee struct {
	InvitationID  uuid.NullUUID
	AccountID     uuid.UUID
	Email         string
	Mailed        bool // whether the token was mailed, and so proves the address
	Used, Expired bool
}

// among returns those of the users with the address whom the invitation can make a member.
func (i invitee) among(claims []claim) []claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c claim) bool {
		return !c.Proven && !i.Mailed && c.HomeAccountID.UUID != i.AccountID
	})
}

// invited returns whom a token was made for.
func (s *Service) invited(ctx context.Context, token string) (invitee, error) {
	var found invitee
	err := s.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_invitation_by_hash(decode(?, 'hex'))", secret.Hash(token)).Scan(&found).Error
	})
	switch {
	case err != nil:
		return invitee{}, fmt.Errorf("look up invitation: %w", err)
	case !found.InvitationID.Valid:
		return invitee{}, fault.NewNotFound()
	case found.Used:
		return invitee{}, fault.New(fault.Conflict, "invitation_used",
			fault.Detail{Field: "token", Message: "was used already: log in instead"})
	case found.Expired:
		return invitee{}, fault.New(fault.Conflict, "invitation_expired",
			fault.Detail{Field: "token", Message: "has expired: ask for another invitation"})
	}
	return found, nil
}

// Invited is what whoever has an invitation's token may know of it. Whether somebody has the address is not part of it.
type Invited struct {
	Email       string
	AccountName string
	Inviter     string // the name of who invited
}

// Invited looks at an invitation without accepting it, and reports whether the caller has its address. It fails as
// Accept does for a token that cannot be accepted.
func (s *Service) Invited(ctx context.Context, token string, caller uuid.UUID) (Invited, bool, error) {
	invited, err := s.invited(ctx, token)
	if err != nil {
		return Invited{}, false, err
	}
	found, here := Invited{Email: invited.Email}, false
	err = s.db.As(ctx, caller, func(tx *postgres.Tx) error {
		page := tx.Raw("SELECT account_name, inviter FROM app_invitation_page(decode(?, 'hex'))", secret.Hash(token)).Row()
		if err := page.Scan(&found.AccountName, &found.Inviter); err != nil {
			return err
		}
		return tx.Raw("SELECT EXISTS (SELECT 1 FROM users WHERE id = ? AND lower(email) = lower(?))", caller, invited.Email).
			Scan(&here).Error
	})
	if err != nil {
		return Invited{}, false, fmt.Errorf("read invitation: %w", err)
	}
	return found, here, nil
}

// accept joins the transaction's user. What invited found may have changed since.
func accept(tx *postgres.Tx, token string) error {
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
