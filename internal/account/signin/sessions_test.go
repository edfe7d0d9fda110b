package signin_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	passwords "dealflow/internal/password"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/seal"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/accountkit"
)

const password = accountkit.Password

func TestLoginLastsUntilLogout(t *testing.T) {
	t.Parallel()
	service, db, url := accountkit.Setup(t)
	ada, err := service.CreateUser(t.Context(), "ada@fund.example", "Ada", password)
	if err != nil {
		t.Fatal(err)
	}
	var entries []signin.Entry
	for range 2 {
		entry, err := service.Login(t.Context(), signin.Credentials{Email: " ADA@fund.example ", Password: password},
			accountkit.Anyone())
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry)
	}
	first, second := entries[0], entries[1]
	if len(first.Token) < 43 || first.Token == second.Token || first.UserID != ada.ID {
		t.Errorf("entries %+v and %+v", first, second)
	}
	if lasts := first.ExpiresAt.Sub(first.CreatedAt); lasts != accountkit.SessionLifetime {
		t.Errorf("a session lasts %v", lasts)
	}
	caller, err := service.AuthenticateSession(t.Context(), first.Token)
	if err != nil || caller.UserID != first.UserID || caller.SessionID != first.ID {
		t.Fatalf("caller %+v, %v", caller, err)
	}
	for name, wrong := range map[string]string{
		"empty": "", "cut": first.Token[1:], "longer": first.Token + "a", "the id": first.ID.String(),
	} {
		_, err := service.AuthenticateSession(t.Context(), wrong)
		accountkit.WantKind(t, name, err, fault.Unauthenticated)
	}
	if err := service.Logout(t.Context(), caller); err != nil {
		t.Fatal(err)
	}
	_, err = service.AuthenticateSession(t.Context(), first.Token)
	accountkit.WantKind(t, "after logout", err, fault.Unauthenticated)
	if _, err := service.AuthenticateSession(t.Context(), second.Token); err != nil {
		t.Errorf("the other session ended too: %v", err)
	}
	err = db.As(t.Context(), ada.ID, func(tx *postgres.Tx) error { return tx.Exec("SELECT hash FROM sessions").Error })
	if err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("reading the hash of a session: %v", err)
	}
	testkit.Exec(t, url, "UPDATE sessions SET expires_at = now()")
	_, err = service.AuthenticateSession(t.Context(), second.Token)
	accountkit.WantKind(t, "expired", err, fault.Unauthenticated)
	if _, err := service.Login(t.Context(), signin.Credentials{Email: ada.Email, Password: password},
		accountkit.Anyone()); err != nil {
		t.Fatal(err)
	}
	if n := testkit.Count(t, url, "sessions"); n != 1 {
		t.Errorf("%d sessions are stored, of which one is not over", n)
	}
}

func TestLoginRefuses(t *testing.T) {
	t.Parallel()
	service, _, url := accountkit.Setup(t)
	if _, err := service.CreateUser(t.Context(), "ada@fund.example", "Ada", password); err != nil {
		t.Fatal(err)
	}
	service.User(t, "bob@fund.example") // without a password
	seen := &accountkit.Watch{}
	for name, tc := range map[string]struct{ email, password string }{
		"wrong": {"ada@fund.example", password + "!"}, "empty": {"ada@fund.example", ""},
		"unknown":     {"eve@fund.example", password},
		"without one": {"bob@fund.example", password}, "without one, empty": {"bob@fund.example", ""},
		"no address": {"ada", password},
	} {
		_, err := service.Login(t.Context(), signin.Credentials{Email: tc.email, Password: tc.password}, seen.Guard())
		accountkit.WantKind(t, name, err, fault.Unauthenticated)
		if refusal, ok := errors.AsType[*fault.Error](err); !ok || refusal.Code != "invalid_credentials" ||
			len(refusal.Details) > 0 {
			t.Errorf("%s: %v tells more than it should", name, err)
		}
	}
	if len(seen.Failed) != 6 {
		t.Errorf("the guard was told of %v", seen.Failed)
	}
	locked := seen.Guard()
	locked.Allow = func(string, uuid.UUID) error { return fault.New(fault.RateLimited, "rate_limited") }
	_, err := service.Login(t.Context(), signin.Credentials{Email: "ada@fund.example", Password: password}, locked)
	accountkit.WantKind(t, "locked out", err, fault.RateLimited)
	locking := accountkit.Anyone()
	locking.Failed = func(string, uuid.UUID) error { return fault.New(fault.RateLimited, "rate_limited") }
	_, err = service.Login(t.Context(), signin.Credentials{Email: "ada@fund.example", Password: "wrong password"},
		locking)
	accountkit.WantKind(t, "the guess too many", err, fault.RateLimited)
	if n := testkit.Count(t, url, "sessions"); n != 0 {
		t.Errorf("%d sessions began", n)
	}
}

// TestUnknownAddressesTakeAsLong counts computations, since time itself is not a measure on a machine that others use.
func TestUnknownAddressesTakeAsLong(t *testing.T) {
	t.Parallel()
	_, db, _ := accountkit.Setup(t)
	hasher := passwords.New(0)
	service := signin.NewService(signin.Options{DB: db, Passwords: hasher})
	for email, secret := range map[string]string{"ada@fund.example": password, "bob@fund.example": ""} {
		if _, err := service.CreateUser(t.Context(), email, "N", secret); err != nil {
			t.Fatal(err)
		}
	}
	for _, email := range []string{"ada@fund.example", "bob@fund.example", "eve@fund.example"} {
		before := hasher.Made()
		_, err := service.Login(t.Context(), signin.Credentials{Email: email, Password: "wrong password"},
			accountkit.Anyone())
		accountkit.WantKind(t, email, err, fault.Unauthenticated)
		if made := hasher.Made() - before; made != 1 {
			t.Errorf("a login as %s computes %d hashes, want 1", email, made)
		}
	}
}

func TestNewPasswordEndsSessions(t *testing.T) {
	t.Parallel()
	service, _, _ := accountkit.Setup(t)
	var tokens []string
	var ada uuid.UUID
	for _, email := range []string{"ada@fund.example", "bob@fund.example"} {
		entry, err := service.Register(t.Context(),
			signin.Registration{Email: email, Name: "N", Password: password, AccountName: "A"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, entry.Token)
		if email == "ada@fund.example" {
			ada = entry.UserID
		}
	}
	if err := service.SetPassword(t.Context(), ada, "another good password"); err != nil {
		t.Fatal(err)
	}
	_, err := service.AuthenticateSession(t.Context(), tokens[0])
	accountkit.WantKind(t, "after a new password", err, fault.Unauthenticated)
	if _, err := service.AuthenticateSession(t.Context(), tokens[1]); err != nil {
		t.Errorf("another user's session: %v", err)
	}
}

func TestRegister(t *testing.T) {
	t.Parallel()
	service, db, url := accountkit.Setup(t)
	good := signin.Registration{Email: "ada@fund.example", Name: " Ada ", Password: password, AccountName: " Fund One "}
	entry, err := service.Register(t.Context(), good, pipeline.Seed)
	if err != nil {
		t.Fatal(err)
	}
	accounts, _, err := service.Accounts(t.Context(), postgres.AsUser(entry.UserID), paging.First(100))
	if err != nil || len(accounts) != 1 || accounts[0].Name != "Fund One" || accounts[0].Role != account.RoleOwner {
		t.Errorf("accounts %+v, %v", accounts, err)
	}
	user, err := service.UserByID(t.Context(), entry.UserID, entry.UserID)
	if err != nil || user.Name != "Ada" || user.Email != "ada@fund.example" {
		t.Errorf("user %+v, %v", user, err)
	}
	if stages, _, err := pipeline.New(db).List(t.Context(), postgres.AsUser(entry.UserID), accounts[0].ID,
		paging.First(100)); err != nil || len(stages) != 7 {
		t.Errorf("the pipeline has %d stages, %v", len(stages), err)
	}
	fresh := signin.Registration{Email: "bob@fund.example", Name: "Bob", Password: password, AccountName: "Fund Two"}
	change := func(edit func(*signin.Registration)) signin.Registration {
		changed := fresh
		edit(&changed)
		return changed
	}
	for name, tc := range map[string]struct {
		in   signin.Registration
		want fault.Kind
	}{
		"no address":     {change(func(r *signin.Registration) { r.Email = "bob" }), fault.InvalidBody},
		"blank name":     {change(func(r *signin.Registration) { r.Name = " " }), fault.InvalidBody},
		"no password":    {change(func(r *signin.Registration) { r.Password = "" }), fault.InvalidBody},
		"short password": {change(func(r *signin.Registration) { r.Password = "123456789" }), fault.InvalidBody},
		"blank account":  {change(func(r *signin.Registration) { r.AccountName = " " }), fault.InvalidBody},
	} {
		_, err := service.Register(t.Context(), tc.in, pipeline.Seed)
		accountkit.WantKind(t, name, err, tc.want)
	}
	_, err = service.Register(t.Context(), signin.Registration{}, pipeline.Seed)
	if refusal, ok := errors.AsType[*fault.Error](err); !ok || len(refusal.Details) != 4 {
		t.Errorf("four wrong fields are told as %v", err)
	}
	_, err = service.Register(t.Context(), fresh, func(*postgres.Tx, uuid.UUID) error { return errors.New("no seed") })
	if err == nil {
		t.Error("a failing seed was hidden")
	}
	for table, want := range map[string]int{"users": 1, "accounts": 1, "memberships": 1, "sessions": 1} {
		if n := testkit.Count(t, url, table); n != want {
			t.Errorf("%d %s are stored after refusals, want %d", n, table, want)
		}
	}
}

// TestWhatAnOldPasswordBeginsEndsWithIt sets a new password between the moments at which a request reads the old hash
// and compares a password with it, as may happen while a thief logs in. Nothing that the request begins may outlast the
// old password.
func TestWhatAnOldPasswordBeginsEndsWithIt(t *testing.T) {
	t.Parallel()
	const another, stolen = "another long password", "a password of a thief"
	for name, begin := range map[string]func(*accountkit.Both, account.Caller, signin.Guard) error{
		"login": func(s *accountkit.Both, _ account.Caller, guard signin.Guard) error {
			_, err := s.Login(t.Context(), signin.Credentials{Email: "ada@fund.example", Password: password}, guard)
			return err
		},
		"change": func(s *accountkit.Both, thief account.Caller, guard signin.Guard) error {
			return s.ChangePassword(t.Context(), thief, password, stolen, guard)
		},
		"factor": func(s *accountkit.Both, thief account.Caller, guard signin.Guard) error {
			_, err := s.StartFactor(t.Context(), thief, password, guard)
			return err
		},
		"no factor": func(s *accountkit.Both, thief account.Caller, guard signin.Guard) error {
			return s.StopFactor(t.Context(), thief, password, guard)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, db, url := accountkit.Setup(t)
			ada, err := service.CreateUser(t.Context(), "ada@fund.example", "Ada", password)
			if err != nil {
				t.Fatal(err)
			}
			credentials := signin.Credentials{Email: ada.Email, Password: password}
			entry, err := service.Login(t.Context(), credentials, accountkit.Anyone())
			if err != nil {
				t.Fatal(err)
			}
			box, err := seal.New([][]byte{bytes.Repeat([]byte("k"), 32)}, signin.SealPurpose)
			if err != nil {
				t.Fatal(err)
			}
			service = accountkit.New(signin.Options{DB: db, Seal: box})
			guard := accountkit.Anyone()
			guard.Allow = func(string, uuid.UUID) error { return service.SetPassword(t.Context(), ada.ID, another) }
			err = begin(service, account.Caller{UserID: ada.ID, SessionID: entry.ID}, guard)
			accountkit.WantKind(t, name, err, fault.Unauthenticated)
			if sessions, factors := testkit.Count(t, url, "sessions"), testkit.Count(t, url, "second_factors"); sessions+
				factors != 0 {
				t.Errorf("%d sessions and %d factors are left", sessions, factors)
			}
			credentials.Password = another
			if _, err := service.Login(t.Context(), credentials, accountkit.Anyone()); err != nil {
				t.Errorf("the new password: %v", err)
			}
		})
	}
}
