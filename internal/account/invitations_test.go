package account_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/outbox"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/accountkit"
)

func TestInvitationIsMadeAndAccepted(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	made, token, err := c.Invite(t.Context(), c.admin, c.id, " New@fund.example ", account.RoleAdmin)
	if err != nil {
		t.Fatal(err)
	}
	if made.Email != "New@fund.example" || made.Role != account.RoleAdmin || made.InvitedBy != c.admin ||
		made.AccountID != c.id ||
		made.ExpiresAt.Sub(made.CreatedAt) != outbox.InvitationLifetime {
		t.Errorf("made %+v", made)
	}
	team, err := c.Team(t.Context(), postgres.AsUser(c.member), c.id, paging.First(100))
	if err != nil || len(team.Invitations) != 1 || team.Invitations[0].ID != made.ID {
		t.Errorf("open are %+v, %v", team.Invitations, err)
	}
	_, err = c.Accept(t.Context(), signin.Acceptance{Token: token, Name: " ", Password: "short"}, accountkit.Anyone())
	accountkit.WantKind(t, "a newcomer without name", err, fault.InvalidBody)
	_, err = c.Accept(t.Context(), signin.Acceptance{Token: token + "a", Name: "New", Password: password},
		accountkit.Anyone())
	accountkit.WantKind(t, "unknown token", err, fault.NotFound)
	entry, err := c.Accept(t.Context(), signin.Acceptance{Token: token, Name: "New", Password: password},
		accountkit.Anyone())
	if err != nil {
		t.Fatal(err)
	}
	accounts, _, err := c.Accounts(t.Context(), postgres.AsUser(entry.UserID), paging.First(100))
	if err != nil || len(accounts) != 1 || accounts[0].ID != c.id || accounts[0].Role != account.RoleAdmin {
		t.Errorf("he is in %+v, %v", accounts, err)
	}
	if caller, err := c.AuthenticateSession(t.Context(), entry.Token); err != nil || caller.UserID != entry.UserID {
		t.Errorf("his session is %+v, %v", caller, err)
	}
	if _, err := c.Login(t.Context(), signin.Credentials{Email: "new@fund.example", Password: password},
		accountkit.Anyone()); err != nil {
		t.Errorf("he cannot log in: %v", err)
	}
	_, err = c.Accept(t.Context(), signin.Acceptance{Token: token, Name: "New", Password: password}, accountkit.Anyone())
	accountkit.WantKind(t, "used token", err, fault.Conflict)
	accountkit.WantKind(t, "revoking a used one", c.RevokeInvitation(t.Context(), c.owner, c.id, made.ID), fault.NotFound)
	_, _, err = c.Invite(t.Context(), c.owner, c.id, "NEW@fund.example", account.RoleMember)
	accountkit.WantKind(t, "inviting a member", err, fault.Conflict)
	if team, err := c.Team(t.Context(), postgres.AsUser(c.owner), c.id, paging.First(100)); err != nil ||
		len(team.Invitations) != 0 {
		t.Errorf("open are %+v, %v", team.Invitations, err)
	}
}

func TestInvitationsOfUsers(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	if err := c.SetPassword(t.Context(), c.outside, password); err != nil {
		t.Fatal(err)
	}
	_, token, err := c.Invite(t.Context(), c.owner, c.id, "OUTSIDE@fund.example", account.RoleMember)
	if err != nil {
		t.Fatal(err)
	}
	seen := &accountkit.Watch{}
	_, err = c.Accept(t.Context(), signin.Acceptance{Token: token, Password: "chosen by another"}, seen.Guard())
	accountkit.WantKind(t, "another password", err, fault.Unauthenticated)
	_, err = c.Accept(t.Context(), signin.Acceptance{Token: token, Password: "chosen by another", Caller: c.admin},
		seen.Guard())
	accountkit.WantKind(t, "another caller", err, fault.Unauthenticated)
	if len(seen.Failed) != 2 {
		t.Errorf("the guard was told of %v", seen.Failed)
	}
	entry, err := c.Accept(t.Context(), signin.Acceptance{Token: token, Name: "Other", Password: password},
		accountkit.Anyone())
	if err != nil || entry.UserID != c.outside {
		t.Fatalf("entry %+v, %v", entry, err)
	}
	if user, err := c.UserByID(t.Context(), c.owner, c.outside); err != nil ||
		user.Name != "Name of outside@fund.example" {
		t.Errorf("the user is now %+v, %v", user, err)
	}
	bob := c.User(t, "bob@fund.example") // without a password
	_, token, err = c.Invite(t.Context(), c.owner, c.id, bob.Email, account.RoleMember)
	if err != nil {
		t.Fatal(err)
	}
	if entry, err := c.Accept(t.Context(), signin.Acceptance{Token: token, Caller: bob.ID},
		accountkit.Anyone()); err != nil ||
		entry.UserID != bob.ID {
		t.Errorf("who has shown who they are: %+v, %v", entry, err)
	}
}

func TestInvitationsEnd(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	invite := func() (account.Invitation, string) {
		made, token, err := c.Invite(t.Context(), c.owner, c.id, "new@fund.example", account.RoleOwner)
		if err != nil {
			t.Fatal(err)
		}
		return made, token
	}
	accept := func(token string) error {
		_, err := c.Accept(t.Context(), signin.Acceptance{Token: token, Name: "New", Password: password}, accountkit.Anyone())
		return err
	}
	_, replaced := invite()
	second, revoked := invite()
	if n := testkit.Count(t, c.url, "invitations"); n != 1 {
		t.Errorf("%d invitations are stored", n)
	}
	accountkit.WantKind(t, "replaced", accept(replaced), fault.NotFound)
	accountkit.WantKind(t, "revoked by a member", c.RevokeInvitation(t.Context(), c.member, c.id, second.ID),
		fault.Forbidden)
	accountkit.WantKind(t, "revoked by a stranger", c.RevokeInvitation(t.Context(), c.outside, c.id, second.ID),
		fault.Forbidden)
	rival := testkit.Account(t, c.db, c.outside, "Rival").ID
	accountkit.WantKind(t, "revoked in another account", c.RevokeInvitation(t.Context(), c.outside, rival, second.ID),
		fault.NotFound)
	if err := c.RevokeInvitation(t.Context(), c.admin, c.id, second.ID); err != nil {
		t.Fatal(err)
	}
	accountkit.WantKind(t, "revoked", accept(revoked), fault.NotFound)
	_, late := invite()
	testkit.Exec(t, c.url, "UPDATE invitations SET expires_at = now()")
	accountkit.WantKind(t, "expired", accept(late), fault.Conflict)
	if team, err := c.Team(t.Context(), postgres.AsUser(c.owner), c.id, paging.First(100)); err != nil ||
		len(team.Invitations) != 0 {
		t.Errorf("open are %+v, %v", team.Invitations, err)
	}
	if n := testkit.Count(t, c.url, "users"); n != 4 {
		t.Errorf("%d users are stored after refusals", n)
	}
}

// TestInvitationsEndWithTheRightToMakeThem has people invite others, or themselves by another address. Then they leave,
// or become members. Whoever has the link could come back by it.
func TestInvitationsEndWithTheRightToMakeThem(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		role    string // that the inviter had
		invites string
		end     func(c *club, inviter uuid.UUID) error
		works   bool
	}{
		"a removed admin": {account.RoleAdmin, account.RoleAdmin, func(c *club, inviter uuid.UUID) error {
			return c.RemoveMember(t.Context(), c.owner, c.id, c.membership(inviter))
		}, false},
		"an admin who leaves": {account.RoleAdmin, account.RoleMember, func(c *club, inviter uuid.UUID) error {
			return c.RemoveMember(t.Context(), inviter, c.id, c.membership(inviter))
		}, false},
		"an admin who is a member now": {account.RoleAdmin, account.RoleMember, func(c *club, inviter uuid.UUID) error {
			_, err := c.ChangeRole(t.Context(), c.owner, c.id, c.membership(inviter), account.RoleMember)
			return err
		}, false},
		"an owner who is an admin now": {account.RoleOwner, account.RoleOwner, func(c *club, inviter uuid.UUID) error {
			_, err := c.AddMember(t.Context(), c.id, inviter, account.RoleAdmin)
			return err
		}, false},
		"an owner who still invites admins": {account.RoleOwner, account.RoleAdmin, func(c *club, inviter uuid.UUID) error {
			_, err := c.ChangeRole(t.Context(), c.owner, c.id, c.membership(inviter), account.RoleAdmin)
			return err
		}, true},
		"another who leaves": {account.RoleAdmin, account.RoleAdmin, func(c *club, _ uuid.UUID) error {
			return c.RemoveMember(t.Context(), c.owner, c.id, c.membership(c.member))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClub(t)
			if _, err := c.AddMember(t.Context(), c.id, c.admin, tc.role); err != nil {
				t.Fatal(err)
			}
			_, token, err := c.Invite(t.Context(), c.admin, c.id, "new@fund.example", tc.invites)
			if err != nil {
				t.Fatal(err)
			}
			if err := tc.end(c, c.admin); err != nil {
				t.Fatal(err)
			}
			_, err = c.Accept(t.Context(), signin.Acceptance{Token: token, Name: "New", Password: password}, accountkit.Anyone())
			if tc.works && err != nil {
				t.Error(err)
			}
			if !tc.works {
				accountkit.WantKind(t, "accepted", err, fault.NotFound)
			}
		})
	}
}

func TestInviteRefuses(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	for name, tc := range map[string]struct {
		by, account uuid.UUID
		email, role string
		want        fault.Kind
	}{
		"no address before the account": {c.outside, uuid.New(), "x", account.RoleMember, fault.InvalidBody},
		"unknown role":                  {c.owner, c.id, "x@fund.example", "boss", fault.InvalidBody},
		"by a member":                   {c.member, c.id, "x@fund.example", account.RoleMember, fault.Forbidden},
		"by a stranger":                 {c.outside, c.id, "x@fund.example", account.RoleMember, fault.Forbidden},
		"in no account":                 {c.owner, uuid.New(), "x@fund.example", account.RoleMember, fault.NotFound},
		"an owner, by an admin":         {c.admin, c.id, "x@fund.example", account.RoleOwner, fault.Forbidden},
		"a member":                      {c.admin, c.id, "MEMBER@fund.example", account.RoleMember, fault.Conflict},
	} {
		_, _, err := c.Invite(t.Context(), tc.by, tc.account, tc.email, tc.role)
		accountkit.WantKind(t, name, err, tc.want)
	}
	if n := testkit.Count(t, c.url, "invitations"); n != 0 {
		t.Errorf("%d invitations are stored after refusals", n)
	}
}

func TestOneInvitationIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	if err := c.SetPassword(t.Context(), c.outside, password); err != nil {
		t.Fatal(err)
	}
	_, token, err := c.Invite(t.Context(), c.owner, c.id, "outside@fund.example", account.RoleMember)
	if err != nil {
		t.Fatal(err)
	}
	errs := make([]error, 3)
	var accepting sync.WaitGroup
	for i := range errs {
		accepting.Go(func() {
			_, errs[i] = c.Accept(t.Context(), signin.Acceptance{Token: token, Caller: c.outside}, accountkit.Anyone())
		})
	}
	accepting.Wait()
	accepted := 0
	for _, err := range errs {
		if err == nil {
			accepted++
		} else {
			accountkit.WantKind(t, "who came later", err, fault.Conflict)
		}
	}
	if accepted != 1 {
		t.Errorf("accepted %d times: %v", accepted, errs)
	}
}
