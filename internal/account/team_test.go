package account_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/accountkit"
)

// club is an account with an owner, an admin, a member, and a stranger outside.
type club struct {
	*accountkit.Both

	t                             *testing.T
	db                            *postgres.DB
	url                           string
	id                            uuid.UUID
	owner, admin, member, outside uuid.UUID
}

func newClub(t *testing.T) *club {
	t.Helper()
	service, db, url := accountkit.Setup(t)
	c := &club{Both: service, t: t, db: db, url: url}
	for email, id := range map[string]*uuid.UUID{
		"owner": &c.owner, "admin": &c.admin, "member": &c.member, "outside": &c.outside,
	} {
		*id = service.User(t, email+"@fund.example").ID
	}
	c.id = testkit.Account(t, db, c.owner, "Fund").ID
	testkit.Member(t, db, c.id, c.admin, account.RoleAdmin)
	testkit.Member(t, db, c.id, c.member, account.RoleMember)
	return c
}

// membership returns the id of a user's membership; a random one where they have none.
func (c *club) membership(user uuid.UUID) uuid.UUID {
	c.t.Helper()
	team, err := c.Team(c.t.Context(), postgres.AsUser(c.owner), c.id, paging.First(100))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, m := range team.Members {
		if m.UserID == user {
			return m.ID
		}
	}
	return uuid.New()
}

// company stores a company and returns its id.
func (c *club) company(creator uuid.UUID, visibility string) uuid.UUID {
	c.t.Helper()
	id := uuid.New()
	testkit.Exec(c.t, c.url, `INSERT INTO companies (id, account_id, name, visibility, source, created_by, updated_by)
		VALUES ($1, $2, 'Acme', $3, 'manual', $4, $4)`, id, c.id, visibility, creator)
	return id
}

// sees returns the companies that a user sees.
func (c *club) sees(user uuid.UUID) []uuid.UUID {
	c.t.Helper()
	var ids []uuid.UUID
	err := c.db.As(c.t.Context(), user, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT id FROM companies").Scan(&ids).Error
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return ids
}

func TestTeamIsForMembers(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	for _, user := range []uuid.UUID{c.owner, c.member} {
		team, err := c.Team(t.Context(), postgres.AsUser(user), c.id, paging.First(100))
		if err != nil || len(team.Members) != 3 || len(team.Invitations) != 0 {
			t.Fatalf("team %+v, %v", team, err)
		}
		if first := team.Members[0]; first.UserID != c.owner || first.Role != account.RoleOwner ||
			first.Email != "owner@fund.example" || first.AccountID != c.id {
			t.Errorf("the first member is %+v", first)
		}
	}
	_, err := c.Team(t.Context(), postgres.AsUser(c.outside), c.id, paging.First(100))
	accountkit.WantKind(t, "stranger", err, fault.Forbidden)
	_, err = c.Team(t.Context(), postgres.AsUser(c.owner), uuid.New(), paging.First(100))
	accountkit.WantKind(t, "unknown account", err, fault.NotFound)
}

func TestRolesAreChanged(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	owners, admins, members := c.membership(c.owner), c.membership(c.admin), c.membership(c.member)
	other := testkit.Account(t, c.db, c.outside, "Rival").ID
	for _, tc := range []struct {
		name             string
		by, account, who uuid.UUID
		role             string
		want             fault.Kind // Internal: allowed
	}{
		{"unknown role before the account", c.outside, c.id, members, "boss", fault.InvalidBody},
		{"by a stranger", c.outside, c.id, members, account.RoleAdmin, fault.Forbidden},
		{"in no account", c.owner, uuid.New(), members, account.RoleAdmin, fault.NotFound},
		{"by a member, himself", c.member, c.id, members, account.RoleAdmin, fault.Forbidden},
		{"by a member, nobody", c.member, c.id, uuid.New(), account.RoleAdmin, fault.Forbidden},
		{"nobody", c.admin, c.id, uuid.New(), account.RoleAdmin, fault.NotFound},
		{"of another account", c.outside, other, members, account.RoleAdmin, fault.NotFound},
		{"an admin makes an owner", c.admin, c.id, members, account.RoleOwner, fault.Forbidden},
		{"an admin makes himself owner", c.admin, c.id, admins, account.RoleOwner, fault.Forbidden},
		{"an admin unmakes an owner", c.admin, c.id, owners, account.RoleMember, fault.Forbidden},
		{"an admin an owner, to the same", c.admin, c.id, owners, account.RoleOwner, fault.Forbidden},
		{"the last owner steps down", c.owner, c.id, owners, account.RoleAdmin, fault.Conflict},
		{"the last owner stays", c.owner, c.id, owners, account.RoleOwner, fault.Internal},
		{"an admin makes an admin", c.admin, c.id, members, account.RoleAdmin, fault.Internal},
		{"an admin steps down", c.admin, c.id, admins, account.RoleMember, fault.Internal},
		{"he is admin no more", c.admin, c.id, admins, account.RoleAdmin, fault.Forbidden},
		{"an owner makes an owner", c.owner, c.id, members, account.RoleOwner, fault.Internal},
		{"the first steps down then", c.owner, c.id, owners, account.RoleMember, fault.Internal},
	} {
		changed, err := c.ChangeRole(t.Context(), tc.by, tc.account, tc.who, tc.role)
		if tc.want != fault.Internal {
			accountkit.WantKind(t, tc.name, err, tc.want)
		} else if err != nil || changed.Role != tc.role || changed.ID != tc.who || changed.Email == "" {
			t.Errorf("%s: %+v, %v", tc.name, changed, err)
		}
	}
	_, err := c.AddMember(t.Context(), c.id, c.member, account.RoleMember)
	accountkit.WantKind(t, "the operator unmakes the last owner", err, fault.Conflict)
	for email, want := range map[string]string{
		"member": account.RoleOwner, "owner": account.RoleMember, "admin": account.RoleMember,
	} {
		team, err := c.Team(t.Context(), postgres.AsUser(c.owner), c.id, paging.First(100))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range team.Members {
			if strings.HasPrefix(m.Email, email) && m.Role != want {
				t.Errorf("%s is %s, want %s", email, m.Role, want)
			}
		}
	}
}

func TestMembersAreRemoved(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	owners, admins, members := c.membership(c.owner), c.membership(c.admin), c.membership(c.member)
	for _, tc := range []struct {
		name             string
		by, account, who uuid.UUID
		want             fault.Kind // Internal: allowed
	}{
		{"by a stranger", c.outside, c.id, members, fault.Forbidden},
		{"in no account", c.owner, uuid.New(), members, fault.NotFound},
		{"nobody", c.owner, c.id, uuid.New(), fault.NotFound},
		{"another, by a member", c.member, c.id, admins, fault.Forbidden},
		{"nobody, by a member", c.member, c.id, uuid.New(), fault.Forbidden},
		{"an owner, by an admin", c.admin, c.id, owners, fault.Forbidden},
		{"the last owner, by himself", c.owner, c.id, owners, fault.Conflict},
		{"a member leaves", c.member, c.id, members, fault.Internal},
		{"he left", c.owner, c.id, members, fault.NotFound},
		{"an admin, by an owner", c.owner, c.id, admins, fault.Internal},
	} {
		err := c.RemoveMember(t.Context(), tc.by, tc.account, tc.who)
		if tc.want != fault.Internal {
			accountkit.WantKind(t, tc.name, err, tc.want)
		} else if err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	team, err := c.Team(t.Context(), postgres.AsUser(c.owner), c.id, paging.First(100))
	if err != nil || len(team.Members) != 1 || team.Members[0].UserID != c.owner {
		t.Errorf("left are %+v, %v", team.Members, err)
	}
}

func TestWhatARemovedMemberLeaves(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	testkit.Member(t, c.db, c.id, c.outside, account.RoleOwner) // a younger owner
	elsewhere := testkit.Account(t, c.db, c.member, "His own")
	key := testkit.Key(t, c.db, c.member)
	private, lone, given := c.company(c.member, "private"), c.company(c.member, "shared"), c.company(c.member, "shared")
	team, others := c.company(c.member, "team"), c.company(c.admin, "private")
	own := uuid.New()
	testkit.Exec(t, c.url, `INSERT INTO companies (id, account_id, name, visibility, source, created_by, updated_by)
		VALUES ($1, $2, 'Own', 'private', 'manual', $3, $3)`, own, elsewhere.ID, c.member)
	for _, table := range []string{"company_assignees", "company_shares"} {
		testkit.Exec(t, c.url, "INSERT INTO "+table+" (company_id, account_id, user_id) VALUES ($1, $2, $3)", lone, c.id,
			c.member)
	}
	testkit.Exec(t, c.url, "INSERT INTO company_shares (company_id, account_id, user_id) VALUES ($1, $2, $3)", given,
		c.id, c.admin)
	if err := c.RemoveMember(t.Context(), c.admin, c.id, c.membership(c.member)); err != nil {
		t.Fatal(err)
	}
	caller, err := apikey.New(c.db).Authenticate(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		user uuid.UUID
		want []uuid.UUID
	}{
		"the oldest owner":   {c.owner, []uuid.UUID{private, lone, team}},
		"a younger owner":    {c.outside, []uuid.UUID{team}},
		"who was given it":   {c.admin, []uuid.UUID{given, team, others}},
		"his key, elsewhere": {caller.UserID, []uuid.UUID{own}},
	} {
		got := c.sees(tc.user)
		slices.SortFunc(got, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
		slices.SortFunc(tc.want, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s sees %v, want %v", name, got, tc.want)
		}
	}
	for table, want := range map[string]int{"company_assignees": 0, "company_shares": 1} {
		if n := testkit.Count(t, c.url, table); n != want {
			t.Errorf("%d %s are left, want %d", n, table, want)
		}
	}
}

// TestTheLastWhoSeesACompanyLeaves removes the creator of a shared company, and then the only one it is shared with:
// the owner of the account must then see it.
func TestTheLastWhoSeesACompanyLeaves(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	shared := c.company(c.member, "shared")
	testkit.Exec(t, c.url, "INSERT INTO company_shares (company_id, account_id, user_id) VALUES ($1, $2, $3)", shared,
		c.id, c.admin)
	for _, leaving := range []uuid.UUID{c.member, c.admin} {
		if err := c.RemoveMember(t.Context(), c.owner, c.id, c.membership(leaving)); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.sees(c.owner); !slices.Equal(got, []uuid.UUID{shared}) {
		t.Errorf("the owner sees %v, want %s, which nobody else can", got, shared)
	}
}

func TestTwoOwnersWhoLeaveAtOnce(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	testkit.Member(t, c.db, c.id, c.member, account.RoleOwner)
	first, second := c.membership(c.owner), c.membership(c.member)
	var leaving sync.WaitGroup
	errs := make([]error, 2)
	leaving.Go(func() { errs[0] = c.RemoveMember(t.Context(), c.owner, c.id, first) })
	leaving.Go(func() { errs[1] = c.RemoveMember(t.Context(), c.member, c.id, second) })
	leaving.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("one should have stayed: %v, %v", errs[0], errs[1])
	}
	for _, err := range errs {
		if err != nil {
			accountkit.WantKind(t, "who came second", err, fault.Conflict)
		}
	}
}

// The rules of who may change memberships hold in the database too, so that a forgotten check makes nobody a member.
func TestMembershipsAreGuardedByTheDatabase(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	for name, tc := range map[string]struct {
		user  uuid.UUID
		query string
		fails bool
	}{
		"an admin makes himself owner": {
			c.admin, "UPDATE memberships SET role = 'owner' WHERE user_id = '" + c.admin.String() + "'", true,
		},
		"an admin unmakes an owner":    {c.admin, "UPDATE memberships SET role = 'member' WHERE role = 'owner'", false},
		"a member makes himself admin": {c.member, "UPDATE memberships SET role = 'admin'", false},
		"an admin deletes":             {c.admin, "DELETE FROM memberships", true},
		"a membership moves":           {c.owner, "UPDATE memberships SET user_id = '" + c.outside.String() + "'", true},
		"an admin invites an owner": {c.admin, `INSERT INTO invitations (id, account_id, email, role, invited_by, hash,
			expires_at)
			VALUES (gen_random_uuid(),
				'` + c.id.String() + `', 'a@b.example', 'owner', '` + c.admin.String() + `', 'x', now())`, true},
		"hashes are read": {c.owner, "SELECT hash FROM invitations", true},
	} {
		err := c.db.As(t.Context(), tc.user, func(tx *postgres.Tx) error {
			done := tx.Exec(tc.query)
			if done.Error == nil && done.RowsAffected > 0 {
				t.Errorf("%s: %d rows changed", name, done.RowsAffected)
			}
			return done.Error
		})
		if (err != nil) != tc.fails {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, token, err := c.Invite(t.Context(), c.owner, c.id, "somebody@else.example", account.RoleOwner)
	if err != nil {
		t.Fatal(err)
	}
	var joined uuid.NullUUID
	err = c.db.As(t.Context(), c.outside, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_accept_invitation(sha256(?::text::bytea), gen_random_uuid())", token).Scan(&joined).Error
	})
	if err != nil || joined.Valid {
		t.Errorf("a stranger took another's invitation: %v, %v", joined, err)
	}
	var outcome string
	err = c.db.As(t.Context(), c.outside, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_remove_member(?, ?)", c.id, c.member).Scan(&outcome).Error
	})
	if err != nil || outcome != "denied" {
		t.Errorf("a stranger's removal is %q, %v", outcome, err)
	}
}
