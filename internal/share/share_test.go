package share_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/share"
	"dealflow/internal/testkit"
)

type setup struct {
	*testkit.Team

	service *share.Service
	now     time.Time
}

func newSetup(t *testing.T) *setup {
	t.Helper()
	s := &setup{Team: testkit.NewTeam(t), now: time.Now()}
	s.service = s.other("the secret")
	return s
}

// other is the service of another process, with these secrets.
func (s *setup) other(secrets ...string) *share.Service {
	keys := make([][]byte, len(secrets))
	for i, secret := range secrets {
		keys[i] = []byte(secret)
	}
	return share.New(share.Deps{DB: s.DB, Secrets: keys, Now: func() time.Time { return s.now }})
}

// link makes a link of somebody to companies at full permissions.
func (s *setup) link(
	t *testing.T, by uuid.UUID, password string, companies ...uuid.UUID,
) (share.Link, share.PublicLink) {
	t.Helper()
	draft := share.Draft{}
	if password != "" {
		draft.Password = &password
	}
	for _, id := range companies {
		draft.Companies = append(draft.Companies, share.Wanted{CompanyID: id, Permissions: share.Full})
	}
	made, err := s.service.Create(t.Context(), by, s.ID, draft)
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	link, err := s.service.Find(t.Context(), made.ShortCode)
	if err != nil {
		t.Fatalf("find: %v", err)
	}
	return made, link
}

func wantKind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if !fault.Is(err, want) {
		t.Errorf("%s: %v, want kind %d", what, err, want)
	}
}

func allowed() share.Guard {
	return share.Guard{Allow: func() error { return nil }, Failed: func() error { return nil }}
}

func TestCodesAreLongAndDiffer(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company, seen := testkit.Company(t, s.DB, s.ID, s.Owner, "team"), map[string]bool{}
	for range 20 {
		made, _ := s.link(t, s.Owner, "", company)
		if len(made.ShortCode) < 10 || seen[made.ShortCode] || made.CreatedAt.IsZero() {
			t.Errorf("made %+v", made)
		}
		seen[made.ShortCode] = true
	}
	if told := testkit.Count(t, s.URL, "activity WHERE type = 'link_created' AND company_id IS NULL"); told != 20 {
		t.Errorf("%d activities tell of the links", told)
	}
}

func TestPasswordsAreKeptAsHashes(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	made, link := s.link(t, s.Owner, "correct horse", testkit.Company(t, s.DB, s.ID, s.Owner, "team"))
	if hashed := testkit.Count(t, s.URL,
		"shared_links WHERE password_hash LIKE '$argon2id$v=19$m=65536,%' AND password_protected"); hashed != 1 {
		t.Error("the password is not kept as an argon2id hash")
	}
	if !made.PasswordProtected || s.service.Admits(link, "") {
		t.Error("the link is open")
	}
	err := s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) error {
		return tx.Exec("SELECT password_hash FROM shared_links").Error
	})
	if err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("hashes can be read: %v", err)
	}
}

func TestWhoUnlocks(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	_, link := s.link(t, s.Owner, "pw", testkit.Company(t, s.DB, s.ID, s.Owner, "team"))
	pass, err := s.service.Unlock(t.Context(), link, "pw", allowed())
	if err != nil || !s.service.Admits(link, pass) {
		t.Fatalf("the right password gives %q, %v", pass, err)
	}
	_, err = s.service.Unlock(t.Context(), link, "PW", allowed())
	wantKind(t, "a wrong password", err, fault.Unauthenticated)
	slow := fault.New(fault.RateLimited, "slow")
	_, err = s.service.Unlock(t.Context(), link, "pw",
		share.Guard{
			Allow: func() error { return slow }, Failed: func() error {
				t.Error("told of a guess that was not made")
				return nil
			},
		})
	wantKind(t, "the right password of who is locked out", err, fault.RateLimited)
	_, err = s.service.Unlock(t.Context(), link, "wrong",
		share.Guard{Allow: func() error { return nil }, Failed: func() error { return slow }})
	wantKind(t, "one guess too many", err, fault.RateLimited)
	_, open := s.link(t, s.Owner, "", testkit.Company(t, s.DB, s.ID, s.Owner, "team"))
	pass, err = s.service.Unlock(t.Context(), open, "pw",
		share.Guard{Allow: func() error { return slow }, Failed: func() error { return slow }})
	if err != nil || pass != "" || !s.service.Admits(open, pass) {
		t.Errorf("a link without a password gives %q, %v", pass, err)
	}
}

func TestPassesOutliveARotationAndNothingElse(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company := testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	_, link := s.link(t, s.Owner, "pw", company)
	_, another := s.link(t, s.Owner, "pw", company)
	pass, err := s.service.Unlock(t.Context(), link, "pw", allowed())
	if err != nil {
		t.Fatal(err)
	}
	if !s.other("a newer secret", "the secret").Admits(link, pass) {
		t.Error("a rotation of the secrets ends a pass")
	}
	if s.other("a newer secret").Admits(link, pass) || s.service.Admits(another, pass) {
		t.Error("a pass opens another link")
	}
	s.now = s.now.Add(share.PassLifetime + time.Second)
	if s.service.Admits(link, pass) {
		t.Error("a pass does not end")
	}
}

func TestPagesAreReadAsTheMaker(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	team, shared := testkit.Company(t, s.DB, s.ID, s.Owner, "team"), testkit.Company(t, s.DB, s.ID, s.Owner, "shared")
	testkit.Exec(t, s.URL, "INSERT INTO company_shares (company_id, account_id, user_id) VALUES ($1, $2, $3)", shared,
		s.ID, s.Member)
	private := testkit.Company(t, s.DB, s.ID, s.Member, "private")
	made, link := s.link(t, s.Member, "", shared, private, team)
	count := func(what string, want int) {
		t.Helper()
		page, err := s.service.Open(t.Context(), link, "", true)
		if err != nil || len(page.Companies) != want || page.Maker != "Mia Member" || page.Account != "Northwind Ventures" {
			t.Errorf("%s: %+v, %v; want %d companies", what, page, err, want)
		}
	}
	count("at first", 2)
	testkit.Exec(t, s.URL, "DELETE FROM company_shares")
	count("without the share", 1)
	testkit.Exec(t, s.URL, "UPDATE companies SET visibility = 'private' WHERE id = $1", team)
	count("when all are private", 0)
	listed, err := s.service.Get(t.Context(), postgres.AsUser(s.Member), s.ID, made.ID)
	if err != nil || listed.ViewCount != 2 || len(listed.Companies) != 1 || listed.Companies[0].CompanyID != private {
		t.Errorf("the maker is told %+v, %v", listed, err)
	}
	testkit.Exec(t, s.URL, "DELETE FROM memberships WHERE user_id = $1", s.Member)
	_, err = s.service.Open(t.Context(), link, "", true)
	wantKind(t, "after the maker left", err, fault.NotFound)
	_, err = s.service.Find(t.Context(), made.ShortCode)
	wantKind(t, "to find it then", err, fault.NotFound)
}

// What the database itself refuses, whatever the application asks for.
func TestLinksAreGuardedByTheDatabase(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	team, shared := testkit.Company(t, s.DB, s.ID, s.Owner, "team"), testkit.Company(t, s.DB, s.ID, s.Owner, "shared")
	open, _ := s.link(t, s.Owner, "", team)
	hidden, _ := s.link(t, s.Owner, "", team, shared)
	for name, tc := range map[string]struct {
		user         uuid.UUID
		links, items int
	}{"owner": {s.Owner, 2, 3}, "member": {s.Member, 1, 1}, "stranger": {s.Stranger, 0, 0}, "nobody": {uuid.Nil, 0, 0}} {
		var links, items int
		err := s.DB.As(t.Context(), tc.user, func(tx *postgres.Tx) error {
			if err := tx.Raw("SELECT count(*) FROM shared_links").Scan(&links).Error; err != nil {
				return err
			}
			return tx.Raw("SELECT count(*) FROM shared_link_companies").Scan(&items).Error
		})
		if err != nil || links != tc.links || items != tc.items {
			t.Errorf("%s sees %d links and %d companies of links, %v; want %d and %d", name, links, items, err, tc.links,
				tc.items)
		}
	}
	for name, statement := range map[string]string{
		"a link as another": "INSERT INTO shared_links (id, account_id, short_code, created_by) VALUES " +
			"(gen_random_uuid(), '" + s.ID.String() + "', 'x', '" + s.Owner.String() + "')",
		"more on another's link": "INSERT INTO shared_link_companies VALUES ('" + s.ID.String() + "', '" +
			open.ID.String() + "', '" + shared.String() + "', 'full', 1)",
		"other permissions":        "UPDATE shared_link_companies SET permissions = 'full'",
		"another password":         "UPDATE shared_links SET password_hash = NULL",
		"another maker of a link":  "UPDATE shared_links SET created_by = '" + s.Member.String() + "'",
		"a company off a link":     "DELETE FROM shared_link_companies",
		"hashes through the table": "SELECT * FROM shared_links",
	} {
		if err := s.DB.As(t.Context(), s.Member,
			func(tx *postgres.Tx) error { return tx.Exec(statement).Error }); err == nil {
			t.Errorf("the database allows %s", name)
		}
	}
	var deleted, counted int64
	err := s.DB.As(t.Context(), s.Member, func(tx *postgres.Tx) error {
		counted = tx.Exec("UPDATE shared_links SET view_count = 99").RowsAffected
		deleted = tx.Exec("DELETE FROM shared_links WHERE id = ?", hidden.ID).RowsAffected
		return nil
	})
	if err != nil || deleted+counted != 0 {
		t.Errorf("a member deletes %d and counts %d links, %v", deleted, counted, err)
	}
}

func TestMetadataMayHoldAnything(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company := testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	_, link := s.link(t, s.Owner, "", company)
	for metadata, want := range map[string]string{
		`{}`: "/", `[]`: "/", `null`: "/", `"x"`: "/", `{"founders": null, "ai_analysis": null}`: "/",
		`{"founders": {"name": "A"}, "ai_analysis": ["x"]}`: "/",
		`{"founders": ["A", 5, null, {}, {"name": 5}, {"name": " Ada ", "title": null}, {"email": "a@b.c"}], ` +
			`"ai_analysis": "\n All. \n"}`: "All./Ada:,:a@b.c,",
	} {
		testkit.Exec(t, s.URL, "UPDATE companies SET metadata = $2 WHERE id = $1", company, metadata)
		page, err := s.service.Open(t.Context(), link, "", false)
		if err != nil || len(page.Companies) != 1 {
			t.Fatalf("%s: %+v, %v", metadata, page, err)
		}
		got := page.Companies[0].Details.Summary + "/"
		for _, founder := range page.Companies[0].Details.Founders {
			got += founder.Name + ":" + founder.Email + ","
		}
		if got != want {
			t.Errorf("%s is read as %q, want %q", metadata, got, want)
		}
	}
}

func TestNotesAreCutWhereAPageCouldNotHoldThem(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company := testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	_, link := s.link(t, s.Owner, "", company)
	testkit.Exec(t, s.URL, "UPDATE companies SET notes = repeat('é', 150000) WHERE id = $1", company)
	page, err := s.service.Open(t.Context(), link, "", false)
	if err != nil || len(page.Companies[0].Notes) != 2*100000 {
		t.Errorf("%d bytes of notes, %v", len(page.Companies[0].Notes), err)
	}
}
