package signin

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/blank"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/secret"
)

// Acceptance is the input of an invited person. A new user sends a name and chooses a password. An existing user sends
// their password, unless they are logged in as Caller.
type Acceptance struct {
	Token    string
	Name     string // blank for an existing user
	Password string
	TOTPCode string    // of an existing user with a second factor
	Caller   uuid.UUID // the user who is logged in; uuid.Nil for nobody
}

// Accept makes the invited person a member of the account and begins a session of that person. The person is the user
// Caller if that user has the invited address; else the user with this address and password, who must also pass their
// second factor; else, if a name is given, a user whom Accept creates. It creates no user if the token was mailed and
// somebody has proven the address. A created user has proven the address if the token was mailed; otherwise they can be
// a member of this account only. The result does not show whether a user has the address, since the person who made the
// invitation may have the token too.
//
// The error is InvalidBody for an invalid field; NotFound for a token that is unknown, revoked or replaced; Conflict
// for one that was used or has expired, and if the person must prove the address before they join a further account;
// Unauthenticated if the password is wrong and no user is created, or the code of the second factor is missing or
// wrong; Unavailable if too many passwords are being compared; or that of the guard.
func (s *Service) Accept(ctx context.Context, in Acceptance, guard Guard) (Entry, error) {
	invited, err := s.invited(ctx, in.Token)
	if err != nil {
		return Entry{}, err
	}
	if in.Caller != uuid.Nil {
		here, err := s.hasAddress(ctx, in.Caller, invited.Email)
		if err != nil {
			return Entry{}, err
		}
		if here {
			return s.join(ctx, in.Caller, in.Token)
		}
	}
	claims, err := s.claims(ctx, invited.Email)
	if err != nil {
		return Entry{}, err
	}
	return s.acceptByPassword(ctx, in, invited, claims, guard)
}

func (s *Service) hasAddress(ctx context.Context, user uuid.UUID, email string) (has bool, err error) {
	err = s.db.As(ctx, user, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT EXISTS (SELECT 1 FROM users WHERE id = ? AND lower(email) = lower(?))", user, email).
			Scan(&has).Error
	})
	if err != nil {
		return false, fmt.Errorf("compare the address of the caller: %w", err)
	}
	return has, nil
}

func (s *Service) acceptByPassword(
	ctx context.Context, in Acceptance, invited invitee, claims []claim, guard Guard,
) (Entry, error) {
	in.Name = blank.Trim(in.Name)
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
		attempt := newAttempt(invited.Email, in.TOTPCode, among, user, guard)
		return s.admit(ctx, user.UserID, attempt, func(tx *postgres.Tx) error { return account.Join(tx, in.Token) })
	case !fault.Is(err, fault.Unauthenticated) || (invited.Mailed && isProven(claims)):
		return Entry{}, err
	case in.Name == "":
		return Entry{}, fault.New(fault.Unauthenticated, "invalid_credentials", nameOfNewcomer().Details...)
	}
	newcomer.home, newcomer.others = invited.AccountID, claims
	return s.enter(ctx, newcomer, func(tx *postgres.Tx) error { return account.Join(tx, in.Token) })
}

func nameOfNewcomer() *fault.Error { return fault.Field("name", "is required for a new user") }

// join makes a user a member by the token of an invitation, begins a session of the user, and returns it.
func (s *Service) join(ctx context.Context, user uuid.UUID, token string) (entry Entry, err error) {
	err = s.db.Write(ctx, user, func(tx *postgres.Tx) error {
		if err := account.Join(tx, token); err != nil {
			return err
		}
		entry, err = s.begin(tx)
		return err
	})
	return entry, err
}

// invitee is the person for whom an invitation is.
type invitee struct {
	InvitationID  uuid.NullUUID
	AccountID     uuid.UUID
	Email         string
	Mailed        bool // whether the token was mailed, and so proves the address
	Used, Expired bool
}

// among returns those of the claims whose users the invitation can make members. If the token was mailed, these are
// all. Otherwise they are the users who have proven the address, and those whose first account is that of the
// invitation.
func (i invitee) among(claims []claim) []claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c claim) bool {
		return !c.Proven && !i.Mailed && c.HomeAccountID.UUID != i.AccountID
	})
}

// invited returns the person for whom the invitation with this token is. It returns NotFound or Conflict as Accept
// does.
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

// Invited is what the page of an invitation shows to the person who has its token. It does not show whether a user has
// the address.
type Invited struct {
	Email       string
	AccountName string
	Inviter     string // the name of the user who made the invitation
}

// Invited returns what the page of an invitation shows, without accepting the invitation, and reports whether the
// caller has its address; false for uuid.Nil, which is nobody. The error is NotFound for a token that is unknown,
// revoked or replaced, and Conflict for one that was used or has expired.
func (s *Service) Invited(ctx context.Context, token string, caller uuid.UUID) (Invited, bool, error) {
	invited, err := s.invited(ctx, token)
	if err != nil {
		return Invited{}, false, err
	}
	found := Invited{Email: invited.Email}
	err = s.db.As(ctx, caller, func(tx *postgres.Tx) error {
		page := tx.Raw("SELECT account_name, inviter FROM app_invitation_page(decode(?, 'hex'))", secret.Hash(token)).Row()
		return page.Scan(&found.AccountName, &found.Inviter)
	})
	if err != nil {
		return Invited{}, false, fmt.Errorf("read invitation: %w", err)
	}
	here, err := s.hasAddress(ctx, caller, invited.Email)
	return found, here, err
}
