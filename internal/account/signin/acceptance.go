package signin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/secret"
)

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
		return s.admit(ctx, user, attempt, func(tx *postgres.Tx) error { return account.Join(tx, in.Token) })
	case !fault.Is(err, fault.Unauthenticated) || (invited.Mailed && isProven(claims)):
		return Entry{}, err
	case in.Name == "":
		return Entry{}, fault.New(fault.Unauthenticated, "invalid_credentials", nameOfNewcomer().Details...)
	}
	newcomer.home, newcomer.others = invited.AccountID, claims
	return s.enter(ctx, newcomer, func(tx *postgres.Tx) error { return account.Join(tx, in.Token) })
}

func nameOfNewcomer() *fault.Error { return fault.Field("name", "is required for a new user") }

// join makes a user a member and begins a session of theirs.
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
