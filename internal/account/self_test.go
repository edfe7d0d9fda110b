package account_test

import (
	"testing"

	"dealflow/internal/account"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

func TestAccountsListsOnlyTheUsersOwn(t *testing.T) {
	t.Parallel()
	db := testkit.Database(t)
	olivia, mia, simon := testkit.User(t, db, "Olivia Owner"), testkit.User(t, db, "Mia Member"),
		testkit.User(t, db, "Simon Stranger")
	first, second := testkit.Account(t, db, olivia.ID, "First"), testkit.Account(t, db, mia.ID, "Second")
	testkit.Member(t, db, first.ID, mia.ID, account.RoleAdmin)
	tests := map[string]struct {
		user account.User
		want []account.Joined
	}{
		"owner": {olivia, []account.Joined{{Account: first, Role: account.RoleOwner}}},
		"of two": {
			mia, []account.Joined{{Account: second, Role: account.RoleOwner}, {Account: first, Role: account.RoleAdmin}},
		},
		"of none": {simon, nil},
	}
	for name, tc := range tests {
		got, _, err := account.New(db).Accounts(t.Context(), postgres.AsUser(tc.user.ID), paging.First(100))
		if err != nil || len(got) != len(tc.want) {
			t.Errorf("%s: %v, %v", name, got, err)
			continue
		}
		for i, want := range tc.want {
			if got[i].ID != want.ID || got[i].Name != want.Name || got[i].Role != want.Role || got[i].CreatedAt.IsZero() {
				t.Errorf("%s: account %d is %+v, want %+v", name, i, got[i], want)
			}
		}
	}
}
