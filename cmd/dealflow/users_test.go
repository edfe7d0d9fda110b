package main

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

const (
	ada    = "ada@fund.example"
	nobody = "nobody@fund.example"
)

// database is a database of the test's own, and the tool on it.
type database struct {
	url      string
	accounts *account.Service
	people   *signin.Service
	keys     *apikey.Service
}

func newDatabase(t *testing.T) database {
	t.Helper()
	address := testkit.DatabaseURL(t)
	db, err := postgres.Open(t.Context(), address, postgres.Options{MaxConnections: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	people := signin.NewService(signin.Options{DB: db, SessionLifetime: time.Hour, SessionIdle: time.Hour})
	return database{url: address, accounts: account.New(db), people: people, keys: apikey.New(db)}
}

func (d database) run(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	return command{env: []string{"DATABASE_URL=" + d.url}, stdin: stdin, args: args}.run(t)
}

// make runs a command with --json, and returns the object that it prints and the object's id.
func (d database) make(t *testing.T, args ...string) (object map[string]any, id uuid.UUID) {
	t.Helper()
	object = d.run(t, "", append(args, "--json")...).object(t)
	id, err := uuid.Parse(object["id"].(string))
	if err != nil {
		t.Fatalf("dealflow %v: the id of %v: %v", args, object, err)
	}
	return object, id
}

func wantObject(t *testing.T, what string, object, want map[string]any) {
	t.Helper()
	made, ok := object["created_at"].(string)
	if !ok || !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`).MatchString(made) {
		t.Errorf("%s: created_at is %v", what, object["created_at"])
	}
	got := maps.Clone(object)
	delete(got, "created_at")
	delete(got, "id")
	if !maps.Equal(got, want) {
		t.Errorf("%s is %v, want %v beside id and created_at", what, got, want)
	}
}

func TestPeopleAccountsAndMembers(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	object, user := d.make(t, "user", "create", "--email", ada, "--name", "Ada Lovelace")
	wantObject(t, "user", object, map[string]any{"email": ada, "name": "Ada Lovelace"})
	if id, err := d.people.UserByEmail(t.Context(), ada); err != nil || id != user {
		t.Errorf("the user in the database is %v, %v; want %v", id, err, user)
	}

	object, team := d.make(t, "account", "create", "--name", "Fund One", "--owner", "ADA@fund.example")
	wantObject(t, "account", object, map[string]any{"name": "Fund One", "owner_id": user.String()})
	if stages := testkit.Count(t, d.url, "company_statuses"); stages != 7 {
		t.Errorf("the account has %d stages, want the default pipeline of 7", stages)
	}

	_, bob := d.make(t, "user", "create", "--email", "bob@fund.example", "--name", "Bob")
	for _, role := range []string{"member", "admin", "owner"} { // a second time changes the role
		object, _ = d.make(t, "member", "add", "--account", team.String(), "--email", "bob@fund.example", "--role", role)
		wantObject(t, role, object, map[string]any{"account_id": team.String(), "user_id": bob.String(), "role": role})
		joined, _, err := d.accounts.Accounts(t.Context(), postgres.AsUser(bob), paging.First(100))
		if err != nil || len(joined) != 1 || joined[0].Role != role || joined[0].ID != team {
			t.Errorf("bob's accounts are %+v, %v; want %s of %v", joined, err, role, team)
		}
	}
}

func TestKeysWorkUntilTheyAreRevoked(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	_, user := d.make(t, "user", "create", "--email", ada, "--name", "Ada")
	object, id := d.make(t, "key", "create", "--user", ada, "--name", "laptop")
	key, _ := object["key"].(string)
	wantObject(t, "key", object, map[string]any{"name": "laptop", "key": key, "hint": key[:7], "user_id": user.String()})
	caller, err := d.keys.Authenticate(t.Context(), key)
	if err != nil || caller.UserID != user || caller.KeyID != id {
		t.Errorf("the key is taken for %+v, %v", caller, err)
	}

	object = d.run(t, "", "key", "revoke", "--id", id.String(), "--json").object(t)
	if want := map[string]any{"id": id.String(), "deleted": true}; !maps.Equal(object, want) {
		t.Errorf("revoke printed %v, want %v", object, want)
	}
	if _, err := d.keys.Authenticate(t.Context(), key); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("the revoked key is still taken: %v", err)
	}
	d.run(t, "", "key", "revoke", "--id", id.String()).wantRefusal(t, "no API key has the id "+id.String())
}

func TestUsersAreVerified(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	in := signin.Registration{Email: ada, Name: "Ada", Password: "correct horse battery", AccountName: "Fund One"}
	first, err := d.people.Register(t.Context(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := d.people.Register(t.Context(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.run(t, "", "user", "verify", "--email", nobody).wantRefusal(t, "no user has the address")
	d.run(t, "", "user", "verify", "--email", ada).wantRefusal(t, "--account")
	joined, _, err := d.accounts.Accounts(t.Context(), postgres.AsUser(second.UserID), paging.First(100))
	if err != nil || len(joined) != 1 {
		t.Fatalf("accounts of the second user: %+v, %v", joined, err)
	}
	object := d.run(t, "", "user", "verify", "--email", ada, "--account", joined[0].ID.String(), "--json").object(t)
	if want := map[string]any{"id": second.UserID.String(), "email": ada, "verified": true}; !maps.Equal(object, want) {
		t.Errorf("verify printed %v, want %v", object, want)
	}
	for user, want := range map[uuid.UUID]bool{first.UserID: false, second.UserID: true} {
		if found, err := d.accounts.UserByID(t.Context(), user, user); err != nil || (found.ProvenAt != nil) != want {
			t.Errorf("user %v is proven at %v, %v; want proven: %v", user, found.ProvenAt, err, want)
		}
	}
	d.run(t, "", "user", "verify", "--email", ada, "--json").object(t) // again: it is known who is meant
}

func TestSecondFactorsAreTurnedOff(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	_, user := d.make(t, "user", "create", "--email", ada, "--name", "Ada")
	off := []string{"user", "totp", "--email", ada, "--off"}
	d.run(t, "", off...).wantRefusal(t, ada+" has no second factor")
	d.run(t, "", append(slices.Clone(off[:4]), "--off=false")...).wantRefusal(t, "give --off")
	d.run(t, "", "user", "totp", "--email", nobody, "--off").wantRefusal(t, "no user has the address")
	testkit.Exec(t, d.url, "INSERT INTO second_factors (user_id, secret, confirmed_at) VALUES ($1, 'sealed', now())", user)
	object := d.run(t, "", append(off, "--json")...).object(t)
	if want := map[string]any{"id": user.String(), "email": ada, "totp_enabled": false}; !maps.Equal(object, want) {
		t.Errorf("totp printed %v, want %v", object, want)
	}
	if on, err := d.people.HasFactor(t.Context(), user); err != nil || on {
		t.Errorf("the second factor is on: %v, %v", on, err)
	}
}

func TestPasswordFromStdin(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	d.make(t, "user", "create", "--email", ada, "--name", "Ada")
	hashes := map[string]bool{}
	for _, stdin := range []string{
		"correct horse battery", "correct horse battery\n", "correct horse battery\r\n", "  Kennwörter zählen Zeichen \n",
	} {
		o := d.run(t, stdin, "user", "password", "--email", ada, "--json")
		if object := o.object(t); object["email"] != ada || object["id"] == "" {
			t.Errorf("%q: printed %v", stdin, object)
		}
		if strings.Contains(o.out, strings.TrimSpace(stdin)) {
			t.Errorf("%q: the password stands on stdout", stdin)
		}
		hashes[passwordHash(t, d)] = true
	}
	if len(hashes) != 4 || hashes[""] {
		t.Errorf("after 4 changes the database has held %d hashes", len(hashes))
	}
}

func passwordHash(t *testing.T, d database) (hash string) {
	t.Helper()
	db, err := postgres.Open(t.Context(), d.url, postgres.Options{MaxConnections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.AsNobody(t.Context(), func(tx *postgres.Tx) error {
		return tx.Raw("SELECT COALESCE(password_hash, '') FROM app_users_by_email(?)", ada).Scan(&hash).Error
	})
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func TestSentences(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	_, user := d.make(t, "user", "create", "--email", ada, "--name", "Ada")
	_, team := d.make(t, "account", "create", "--name", "Fund", "--owner", ada)
	_, key := d.make(t, "key", "create", "--user", ada, "--name", "old")
	const id = `[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`
	for name, tc := range map[string]struct {
		stdin, want string
		args        []string
	}{
		"user create": {
			"", `Made user bob@fund\.example with the id ` + id + `\.`,
			[]string{"user", "create", "--email", "bob@fund.example", "--name", "Bob"},
		},
		"user password": {
			"1234567890\n", `Set the password of ada@fund\.example\.`, []string{"user", "password", "--email", ada},
		},
		"account create": {
			"", `Made account "Fund Two" with the id ` + id + `, owned by ada@fund\.example\.`,
			[]string{"account", "create", "--name", "Fund Two", "--owner", ada},
		},
		"member add": {
			"", `Gave ada@fund\.example the role of owner in account ` + team.String() + `\.`,
			[]string{"member", "add", "--account", team.String(), "--email", ada, "--role", "owner"},
		},
		"key create": {
			"", `Made API key "new" with the id ` + id + `\. Keep its value, which nobody can show again: mk_[a-z2-7]{52}`,
			[]string{"key", "create", "--user", ada, "--name", "new"},
		},
		"key revoke": {
			"", `Revoked API key ` + key.String() + `, which no longer works\.`, []string{"key", "revoke", "--id", key.String()},
		},
	} {
		o := d.run(t, tc.stdin, tc.args...)
		o.wantQuiet(t)
		if !regexp.MustCompile(`^` + tc.want + `\n$`).MatchString(o.out) {
			t.Errorf("%s says %q, want %s", name, o.out, tc.want)
		}
	}
	if id, err := d.people.UserByEmail(t.Context(), ada); err != nil || id != user {
		t.Errorf("ada is now %v, %v", id, err)
	}
}

func TestJSONIsTakenAnywhere(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	line := []string{"user", "create", "--email", "E", "--name", "Ada"}
	for position := range len(line) + 1 {
		if position == 3 || position == 5 {
			continue // between a flag and its value it is the value
		}
		args := slices.Insert(slices.Clone(line), position, "--json")
		email := "a" + string(rune('0'+position)) + "@fund.example"
		args[slices.Index(args, "E")] = email
		if object := d.run(t, "", args...).object(t); object["email"] != email {
			t.Errorf("dealflow %v printed %v", args, object)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	d.make(t, "user", "create", "--email", ada, "--name", "Ada")
	other := uuid.NewString()
	const secret = "geheim 123"
	tests := map[string]struct {
		stdin, want string
		args        []string
	}{
		"group alone":   {"", "dealflow user takes one of create, password", []string{"user"}},
		"unknown group": {"", `unknown command "usr"`, []string{"usr", "create"}},
		"unknown command": {
			"", `unknown command "creat"`, []string{"user", "creat", "--email", ada, "--name", "Ada"},
		},
		"help about an unknown command": {"", `unknown command "foo"`, []string{"help", "foo"}},
		"help about an unknown one of a group": {
			"", `unknown command "creat": dealflow user takes one of`, []string{"help", "user", "creat"},
		},
		"unknown command, json": {"", `unknown command "creat"`, []string{"--json", "user", "creat"}},
		"unknown flag":          {"", "unknown flag: --mail", []string{"user", "create", "--mail", ada}},
		"flag missing":          {"", `"name" not set`, []string{"user", "create", "--email", ada}},
		"argument too much": {
			"", `"extra" is none`, []string{"user", "create", "extra", "--email", ada, "--name", "Ada"},
		},
		"address taken": {
			"", "a user with this address exists", []string{"user", "create", "--email", "ADA@fund.example", "--name", "Ada"},
		},
		"no address": {"", "is no email address", []string{"user", "create", "--email", "ada", "--name", "Ada"}},
		"blank name": {
			"", "name: is empty", []string{"user", "create", "--email", "b@fund.example", "--name", " "},
		},
		"password of nobody": {
			secret, "no user has the address \"" + nobody + "\": make one", []string{"user", "password", "--email", nobody},
		},
		"short password": {
			secret[:9], "must have 10 to 200 characters", []string{"user", "password", "--email", ada},
		},
		"no password":            {"", "stdin is empty", []string{"user", "password", "--email", ada}},
		"empty line as password": {"\n", "stdin is empty", []string{"user", "password", "--email", ada}},
		"two lines as password": {
			secret + "\n" + secret + "\n", "more than one line", []string{"user", "password", "--email", ada},
		},
		"a file as password": {
			strings.Repeat(secret, 1000), "more than 4096 bytes", []string{"user", "password", "--email", ada},
		},
		"owner is nobody": {
			"", "make one with dealflow user create", []string{"account", "create", "--name", "Fund", "--owner", nobody},
		},
		"account without a name": {"", "name: is empty", []string{"account", "create", "--name", "", "--owner", ada}},
		"member of no account": {
			"", "no account has the id " + other,
			[]string{"member", "add", "--account", other, "--email", ada, "--role", "member"},
		},
		"account is no id": {
			"", `--account: "Fund" is no id`, []string{"member", "add", "--account", "Fund", "--email", ada, "--role", "member"},
		},
		"member is nobody": {
			"", "no user has proven the address",
			[]string{"member", "add", "--account", other, "--email", nobody, "--role", "member"},
		},
		"unknown role": {
			"", "role: must be owner, admin or member",
			[]string{"member", "add", "--account", other, "--email", ada, "--role", "boss"},
		},
		"key of nobody": {
			"", "no user has the address", []string{"key", "create", "--user", nobody, "--name", "laptop"},
		},
		"key without a name":      {"", "name: is empty", []string{"key", "create", "--user", ada, "--name", ""}},
		"revoke what is no id":    {"", `--id: "mk_abc" is no id`, []string{"key", "revoke", "--id", "mk_abc"}},
		"revoke what is not here": {"", "no API key has the id " + other, []string{"key", "revoke", "--id", other}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := d.run(t, tc.stdin, tc.args...)
			o.wantRefusal(t, tc.want)
			if strings.Contains(o.errOut, secret[:9]) {
				t.Errorf("stderr tells the password: %s", o.errOut)
			}
		})
	}
	for table, want := range map[string]int{"users": 1, "accounts": 0, "memberships": 0, "api_keys": 0} {
		if got := testkit.Count(t, d.url, table); got != want {
			t.Errorf("after refusals alone %s holds %d rows, want %d", table, got, want)
		}
	}
}

func TestHelpIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"--help"}, {"user", "--help"}, {"add", "-h"}} {
		o := command{args: args}.run(t)
		o.wantQuiet(t)
		if !strings.Contains(o.out, "Usage:") {
			t.Errorf("dealflow %v printed %q", args, o.out)
		}
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	admin := testkit.EmptyDatabaseURL(t)
	service := serviceURL(t, admin)
	env := []string{"DATABASE_URL=" + service, "MIGRATE_DATABASE_URL=" + admin}
	userCreate := command{env: env, args: []string{"user", "create", "--email", ada, "--name", "Ada"}}
	userCreate.run(t).wantRefusal(t, "run `dealflow migrate`")

	first := command{env: env, args: []string{"migrate", "--json"}}.run(t).object(t)
	if version, _ := first["version"].(float64); version < 1 {
		t.Errorf("migrate printed %v", first)
	}
	userCreate.run(t).wantQuiet(t) // as the service's own login, which may take the role

	again := command{env: []string{"DATABASE_URL=" + admin}, args: []string{"migrate"}}.run(t)
	again.wantQuiet(t)
	if !regexp.MustCompile(`^The database is at migration \d+\.\n$`).MatchString(again.out) {
		t.Errorf("the second migrate says %q", again.out)
	}
}

// serviceURL returns the URL of the database of adminURL for the service's login.
func serviceURL(t *testing.T, adminURL string) string {
	t.Helper()
	admin, err := url.Parse(adminURL)
	if err != nil {
		t.Fatal(err)
	}
	service, err := url.Parse(testkit.DatabaseURL(t))
	if err != nil {
		t.Fatal(err)
	}
	service.Path = admin.Path
	return service.String()
}

func TestMigrateNeedsADatabase(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env  []string
		want string
	}{
		"nothing set": {nil, "DATABASE_URL is not set"},
		"no server":   {[]string{"DATABASE_URL=postgres://ada:hunter2@127.0.0.1:1/none"}, "reach the database"},
		"other service": {
			[]string{"DATABASE_URL=mysql://ada:hunter2@127.0.0.1/none"}, "DATABASE_URL must begin with postgres://",
		},
	} {
		o := command{env: tc.env, args: []string{"migrate"}}.run(t)
		if o.code != 1 || o.out != "" || !strings.Contains(o.errOut, tc.want) || strings.Contains(o.errOut, "hunter2") {
			t.Errorf("%s: code %d, stdout %q, stderr %q; want %q and no password", name, o.code, o.out, o.errOut, tc.want)
		}
	}
}
