package account_test

import (
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/accountkit"
)

const attackers = "chosen by the attacker"

const password = accountkit.Password

// claimed lets a stranger's account take an address that is not the stranger's: they invite it, and accept the
// invitation themselves.
func (c *club) claimed(email, name, password string) (signin.Entry, uuid.UUID) {
	c.t.Helper()
	evil := testkit.Account(c.t, c.db, c.outside, "Evil").ID
	_, token, err := c.Invite(c.t.Context(), c.outside, evil, email, account.RoleMember)
	if err != nil {
		c.t.Fatal(err)
	}
	entry, err := c.Accept(c.t.Context(), signin.Acceptance{Token: token, Name: name, Password: password},
		accountkit.Anyone())
	if err != nil {
		c.t.Fatal(err)
	}
	return entry, evil
}

// An attacker could once claim any address by inviting it: a later invitation of that address made the attacker a
// member.
func TestAClaimedAddressReachesNobodysTeam(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	secret := c.company(c.owner, "team")
	attacker, evil := c.claimed("victim@fund.example", "Victim", attackers)
	_, err := c.UserByEmail(t.Context(), "victim@fund.example")
	accountkit.WantKind(t, "member add looks the address up", err, fault.NotFound)
	_, err = c.AddMember(t.Context(), c.id, attacker.UserID, account.RoleMember)
	accountkit.WantKind(t, "the claimant is made a member", err, fault.Conflict)
	_, err = c.Create(t.Context(), attacker.UserID, "Another", nil)
	accountkit.WantKind(t, "the claimant is given an account", err, fault.Conflict)
	_, token, err := c.Invite(t.Context(), c.owner, c.id, "victim@fund.example", account.RoleMember)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Accept(t.Context(), signin.Acceptance{Token: token, Password: attackers}, accountkit.Anyone())
	accountkit.WantKind(t, "the claimant accepts another's invitation", err, fault.Unauthenticated)
	_, err = c.Accept(t.Context(), signin.Acceptance{Token: token, Caller: attacker.UserID}, accountkit.Anyone())
	accountkit.WantKind(t, "the claimant accepts by their session", err, fault.Conflict)
	victim, err := c.Accept(t.Context(), signin.Acceptance{Token: token, Name: "Victim", Password: password},
		accountkit.Anyone())
	if err != nil || victim.UserID == attacker.UserID {
		t.Fatalf("the victim joins as %+v, %v", victim, err)
	}
	if got := c.sees(victim.UserID); len(got) != 1 || got[0] != secret {
		t.Errorf("the victim sees %v", got)
	}
	if got := c.sees(attacker.UserID); len(got) != 0 {
		t.Errorf("the attacker sees %v", got)
	}
	for text, want := range map[string]uuid.UUID{attackers: attacker.UserID, password: victim.UserID} {
		if entry, err := c.Login(t.Context(), signin.Credentials{Email: "VICTIM@fund.example", Password: text},
			accountkit.Anyone()); err != nil || entry.UserID != want {
			t.Errorf("with %q somebody logs in as %+v, %v", text, entry, err)
		}
	}
	if joined, _, err := c.Accounts(t.Context(), postgres.AsUser(attacker.UserID), paging.First(100)); err != nil ||
		len(joined) != 1 || joined[0].ID != evil {
		t.Errorf("the attacker is in %+v, %v", joined, err)
	}
}

func TestAClaimNeverBlocksTheOwnerOfAnAddress(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	attacker, _ := c.claimed("victim@fund.example", "Victim", attackers)
	owner := c.User(t, "Victim@fund.example") // the operator's word
	if id, err := c.UserByEmail(t.Context(), "victim@fund.example"); err != nil || id != owner.ID {
		t.Errorf("the address is that of %v, %v", id, err)
	}
	testkit.Member(t, c.db, c.id, owner.ID, account.RoleMember)
	accountkit.WantKind(t, "the claim is proven too", c.ProveUser(t.Context(), attacker.UserID), fault.Conflict)
	if err := c.SetPassword(t.Context(), owner.ID, password); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]uuid.UUID{attackers: attacker.UserID, password: owner.ID} {
		if entry, err := c.Login(t.Context(), signin.Credentials{Email: "victim@fund.example", Password: text},
			accountkit.Anyone()); err != nil || entry.UserID != want {
			t.Errorf("with %q somebody logs in as %+v, %v", text, entry, err)
		}
	}
	_, err := c.CreateUser(t.Context(), "victim@FUND.example", "Again", "")
	accountkit.WantKind(t, "a second owner", err, fault.Conflict)
}

func TestRegistrationOnlyClaims(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	in := signin.Registration{Email: "owner@fund.example", Name: "Other", Password: attackers, AccountName: "Evil"}
	entry, err := c.Register(t.Context(), in, nil)
	if err != nil || entry.UserID == c.owner {
		t.Fatalf("registered %+v, %v", entry, err)
	}
	if id, err := c.UserByEmail(t.Context(), in.Email); err != nil || id != c.owner {
		t.Errorf("the address is that of %v, %v", id, err)
	}
	other, err := c.Register(t.Context(), signin.Registration{
		Email: in.Email, Name: "Third", Password: password, AccountName: "Third",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if entry, err := c.Login(t.Context(), signin.Credentials{Email: in.Email, Password: password},
		accountkit.Anyone()); err != nil || entry.UserID != other.UserID {
		t.Errorf("the third logs in as %+v, %v", entry, err)
	}
}

// The person who made an invitation without mails has its token: the answers to the token must not depend on who has
// the address.
func TestInvitationsTellNobodyWhoIsAUser(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	if err := c.SetPassword(t.Context(), c.outside, password); err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]signin.Acceptance{
		"nothing":          {},
		"a short password": {Name: "Eve", Password: "short"},
		"a password":       {Password: "some other password"},
		"a new user":       {Name: "Eve", Password: "some other password"},
	} {
		var answers []fault.Kind
		for _, email := range []string{"outside@fund.example", "nobody@fund.example"} {
			account := testkit.Account(t, c.db, c.owner, "Fund of "+name)
			invitation, token, err := c.Invite(t.Context(), c.owner, account.ID, email, "member")
			if err != nil {
				t.Fatal(err)
			}
			page, here, err := c.Invited(t.Context(), token, uuid.Nil)
			if err != nil || here || page.Email != email {
				t.Errorf("%s: the page of %s shows %+v, %v, %v", name, email, page, here, err)
			}
			in.Token = token
			_, err = c.Accept(t.Context(), in, accountkit.Anyone())
			answers = append(answers, fault.KindOf(err))
			if err != nil {
				err = c.RevokeInvitation(t.Context(), c.owner, account.ID, invitation.ID)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if answers[0] != answers[1] {
			t.Errorf("%s: a user is answered %v, nobody %v", name, answers[0], answers[1])
		}
	}
}

func TestTheOperatorNamesWhoIsMeant(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	first, evil := c.claimed("victim@fund.example", "One", attackers)
	second, err := c.Register(t.Context(),
		signin.Registration{Email: "victim@fund.example", Name: "Two", Password: password, AccountName: "Own"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.UserForOperator(t.Context(), "victim@fund.example", uuid.NullUUID{})
	accountkit.WantKind(t, "which of two", err, fault.Conflict)
	if id, err := c.UserForOperator(t.Context(), "victim@fund.example",
		uuid.NullUUID{UUID: evil, Valid: true}); err != nil || id != first.UserID {
		t.Errorf("by account it is %v, %v", id, err)
	}
	if err := c.ProveUser(t.Context(), second.UserID); err != nil {
		t.Fatal(err)
	}
	if id, err := c.UserForOperator(t.Context(), "victim@fund.example", uuid.NullUUID{}); err != nil ||
		id != second.UserID {
		t.Errorf("once proven it is %v, %v", id, err)
	}
	accountkit.WantKind(t, "nobody", c.ProveUser(t.Context(), uuid.New()), fault.NotFound)
	_, err = c.UserForOperator(t.Context(), "nobody@fund.example", uuid.NullUUID{})
	accountkit.WantKind(t, "no such address", err, fault.NotFound)
}

// TestACrowdKeepsNobodyOut has a hundred and twenty users claim an address before somebody registers with it.
func TestACrowdKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	first, _ := c.claimed("crowd@fund.example", "First", attackers)
	testkit.Exec(t, c.url, `INSERT INTO users (id, email, name, created_at, password_hash)
		SELECT gen_random_uuid(), 'Crowd@fund.example', 'Other', now() - interval '1 day', u.password_hash
		FROM users u, generate_series(1, 120) WHERE u.id = $1`, first.UserID)
	mine, _ := c.claimed("crowd@fund.example", "Last", password)
	for given, want := range map[string]uuid.UUID{password: mine.UserID, "a wrong password": uuid.Nil} {
		in := signin.Credentials{Email: " crowd@fund.example", Password: given}
		entry, err := c.Login(t.Context(), in, accountkit.Anyone())
		if entry.UserID != want || want == uuid.Nil && !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("%q logs %s in, want %s: %v", given, entry.UserID, want, err)
		}
	}
}

func TestHoweverManyClaimAnAddressTheCallerConfirmsTheirPassword(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	mine, _ := c.claimed("crowd@fund.example", "Crowd", password)
	testkit.Exec(t, c.url, `INSERT INTO users (id, email, name, created_at)
		SELECT gen_random_uuid(), 'crowd@fund.example', 'Other', now() - interval '1 day' FROM generate_series(1, 100)`)
	caller := account.Caller{UserID: mine.UserID, SessionID: mine.ID}
	accountkit.WantKind(t, "a wrong password",
		c.ChangePassword(t.Context(), caller, attackers, "another long password", accountkit.Anyone()), fault.Unauthenticated)
	if err := c.ChangePassword(t.Context(), caller, password, "another long password", accountkit.Anyone()); err != nil {
		t.Errorf("change the password: %v", err)
	}
	_, token, err := c.Invite(t.Context(), c.owner, c.id, "crowd@fund.example", account.RoleMember)
	if err != nil {
		t.Fatal(err)
	}
	// refused as every user with an unproven address is: the caller is known to have the address
	_, err = c.Accept(t.Context(), signin.Acceptance{Token: token, Caller: mine.UserID}, accountkit.Anyone())
	accountkit.WantKind(t, "accept an invitation by the session", err, fault.Conflict)
}
