package account_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit/accountkit"
)

// setup is a service on a database of its own, with one user.
func setup(t *testing.T) (*accountkit.Both, *postgres.DB, account.User) {
	t.Helper()
	service, db, _ := accountkit.Setup(t)
	return service, db, service.User(t, "ada@fund.example")
}

func TestUsers(t *testing.T) {
	t.Parallel()
	service, _, ada := setup(t)
	if id, err := service.UserByEmail(t.Context(), " ADA@fund.example"); err != nil || id != ada.ID {
		t.Errorf("UserByEmail in capitals = %v, %v; want %v", id, err, ada.ID)
	}
	_, err := service.UserByEmail(t.Context(), "nobody@fund.example")
	accountkit.WantKind(t, "unknown address", err, fault.NotFound)

	refusals := map[string]struct {
		email, name, password string
		want                  fault.Kind
	}{
		"address taken, other case": {"Ada@Fund.example", "Ada", "", fault.Conflict},
		"no address":                {"", "Ada", "", fault.InvalidBody},
		"display name":              {"Ada <a@fund.example>", "Ada", "", fault.InvalidBody},
		"no name":                   {"b@fund.example", " ", "", fault.InvalidBody},
		"long name":                 {"b@fund.example", strings.Repeat("é", 256), "", fault.InvalidBody},
		"short password":            {"b@fund.example", "B", "123456789", fault.InvalidBody},
		"long password":             {"b@fund.example", "B", strings.Repeat("x", 201), fault.InvalidBody},
	}
	for name, tc := range refusals {
		_, err := service.CreateUser(t.Context(), tc.email, tc.name, tc.password)
		accountkit.WantKind(t, name, err, tc.want)
	}
}

func TestPasswordsAreHashedAndUnreadable(t *testing.T) {
	t.Parallel()
	service, db, ada := setup(t)
	if err := service.SetPassword(t.Context(), ada.ID, "correct horse battery"); err != nil {
		t.Fatal(err)
	}
	err := db.As(t.Context(), ada.ID, func(tx *postgres.Tx) error {
		var hash string
		return tx.Raw("SELECT password_hash FROM users WHERE id = ?", ada.ID).Scan(&hash).Error
	})
	if err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("reading the hash column: %v, want permission denied", err)
	}
	var hash string
	err = db.AsNobody(t.Context(), func(tx *postgres.Tx) error {
		return tx.Raw("SELECT password_hash FROM app_users_by_email(?)", ada.Email).Scan(&hash).Error
	})
	if err != nil || !strings.HasPrefix(hash, "$argon2id$") || strings.Contains(hash, "horse") {
		t.Errorf("stored hash %q, %v", hash, err)
	}
	accountkit.WantKind(t, "unknown user", service.SetPassword(t.Context(), uuid.New(), "correct horse battery"),
		fault.NotFound)
	accountkit.WantKind(t, "empty password", service.SetPassword(t.Context(), ada.ID, ""), fault.InvalidBody)
}

func TestAccountBelongsToItsMaker(t *testing.T) {
	t.Parallel()
	service, db, ada := setup(t)
	bob := service.User(t, "bob@fund.example")
	team, err := service.Create(t.Context(), ada.ID, " Fund One ", pipeline.Seed)
	if err != nil || team.Name != "Fund One" {
		t.Fatalf("Create = %+v, %v", team, err)
	}
	_, err = service.Create(t.Context(), ada.ID, "  ", nil)
	accountkit.WantKind(t, "blank name", err, fault.InvalidBody)

	roleOf := func(user uuid.UUID, accountID uuid.UUID) (role string, err error) {
		err = db.As(t.Context(), user, func(tx *postgres.Tx) error {
			role, err = account.RequireMember(tx, accountID)
			return err
		})
		return role, err
	}
	if role, err := roleOf(ada.ID, team.ID); role != account.RoleOwner || err != nil {
		t.Errorf("maker's role = %q, %v", role, err)
	}
	_, err = roleOf(bob.ID, team.ID)
	accountkit.WantKind(t, "stranger", err, fault.Forbidden)
	_, err = roleOf(ada.ID, uuid.New())
	accountkit.WantKind(t, "unknown account", err, fault.NotFound)

	if _, err := service.AddMember(t.Context(), team.ID, bob.ID, account.RoleMember); err != nil {
		t.Fatal(err)
	}
	if role, err := roleOf(bob.ID, team.ID); role != account.RoleMember || err != nil {
		t.Errorf("member's role = %q, %v", role, err)
	}
	admin := func(user uuid.UUID) error {
		return db.As(t.Context(), user, func(tx *postgres.Tx) error { return account.RequireAdmin(tx, team.ID) })
	}
	accountkit.WantKind(t, "member as admin", admin(bob.ID), fault.Forbidden)
	if _, err := service.AddMember(t.Context(), team.ID, bob.ID, account.RoleAdmin); err != nil || admin(bob.ID) != nil {
		t.Errorf("after a second AddMember he is no admin: %v", err)
	}
	_, err = service.AddMember(t.Context(), team.ID, bob.ID, "boss")
	accountkit.WantKind(t, "unknown role", err, fault.InvalidBody)
	_, err = service.AddMember(t.Context(), uuid.New(), bob.ID, account.RoleMember)
	accountkit.WantKind(t, "member of no account", err, fault.NotFound)
}

func TestAccountWhoseSeedFailsIsNotMade(t *testing.T) {
	t.Parallel()
	service, db, ada := setup(t)
	_, err := service.Create(t.Context(), ada.ID, "Fund",
		func(*postgres.Tx, uuid.UUID) error { return context.DeadlineExceeded })
	if err == nil {
		t.Fatal("Create hid the seed's error")
	}
	var count int
	err = db.As(t.Context(), ada.ID, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT count(*) FROM accounts").Scan(&count).Error
	})
	if err != nil || count != 0 {
		t.Errorf("%d accounts are left, %v", count, err)
	}
}

func TestUsersSeeOnlyTheirPeers(t *testing.T) {
	t.Parallel()
	service, db, ada := setup(t)
	bob, eve := service.User(t, "bob@fund.example"), service.User(t, "eve@rival.example")
	team, err := service.Create(t.Context(), ada.ID, "Fund", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := service.AddMember(t.Context(), team.ID, bob.ID, account.RoleMember); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		user uuid.UUID
		want string
	}{
		"owner":    {ada.ID, "ada@fund.example bob@fund.example"},
		"member":   {bob.ID, "ada@fund.example bob@fund.example"},
		"stranger": {eve.ID, "eve@rival.example"},
		"nobody":   {uuid.Nil, ""},
	} {
		var emails []string
		err := db.As(t.Context(), tc.user, func(tx *postgres.Tx) error {
			return tx.Model(&account.User{}).Order("email").Pluck("email", &emails).Error
		})
		if got := strings.Join(emails, " "); err != nil || got != tc.want {
			t.Errorf("%s sees %q, %v; want %q", name, got, err, tc.want)
		}
	}
}
