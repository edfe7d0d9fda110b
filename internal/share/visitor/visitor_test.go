package visitor_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/password"
	"dealflow/internal/postgres"
	"dealflow/internal/share"
	"dealflow/internal/share/visitor"
	"dealflow/internal/testkit"
)

type setup struct {
	*testkit.Team

	shares   *share.Service
	visitors *visitor.Service
	now      time.Time
}

func newSetup(t *testing.T) *setup {
	t.Helper()
	s := &setup{Team: testkit.NewTeam(t), now: time.Now()}
	s.shares = share.New(share.Deps{DB: s.DB, Now: s.clock, Passwords: password.New(0)})
	s.visitors = s.other("the secret")
	return s
}

func (s *setup) clock() time.Time { return s.now }

// other is the service of another process, with these secrets.
func (s *setup) other(secrets ...string) *visitor.Service {
	keys := make([][]byte, len(secrets))
	for i, secret := range secrets {
		keys[i] = []byte(secret)
	}
	return visitor.New(visitor.Deps{DB: s.DB, Secrets: keys, Now: s.clock, Passwords: password.New(0)})
}

// link makes a link of somebody to companies at full permissions, with a password unless secret is "". It also returns
// the link as visitors find it.
func (s *setup) link(
	t *testing.T, by uuid.UUID, secret string, companies ...uuid.UUID,
) (share.Link, visitor.PublicLink) {
	t.Helper()
	draft := share.Draft{}
	if secret != "" {
		draft.Password = &secret
	}
	for _, id := range companies {
		draft.Companies = append(draft.Companies, share.Wanted{CompanyID: id, Permissions: share.Full})
	}
	made, err := s.shares.Create(t.Context(), by, s.ID, draft)
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	link, err := s.visitors.Find(t.Context(), made.ShortCode)
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

func allowed() visitor.Guard {
	return visitor.Guard{Allow: func() error { return nil }, Failed: func() error { return nil }}
}

func TestWhoUnlocks(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	_, link := s.link(t, s.Owner, "pw", testkit.Company(t, s.DB, s.ID, s.Owner, "team"))
	if s.visitors.Admits(link, "") {
		t.Error("the link is open")
	}
	pass, err := s.visitors.Unlock(t.Context(), link, "pw", allowed())
	if err != nil || !s.visitors.Admits(link, pass) {
		t.Fatalf("the right password gives %q, %v", pass, err)
	}
	_, err = s.visitors.Unlock(t.Context(), link, "PW", allowed())
	wantKind(t, "a wrong password", err, fault.Unauthenticated)
	slow := fault.New(fault.RateLimited, "slow")
	_, err = s.visitors.Unlock(t.Context(), link, "pw",
		visitor.Guard{
			Allow: func() error { return slow }, Failed: func() error {
				t.Error("told of a guess that was not made")
				return nil
			},
		})
	wantKind(t, "the right password of who is locked out", err, fault.RateLimited)
	_, err = s.visitors.Unlock(t.Context(), link, "wrong",
		visitor.Guard{Allow: func() error { return nil }, Failed: func() error { return slow }})
	wantKind(t, "one guess too many", err, fault.RateLimited)
	_, open := s.link(t, s.Owner, "", testkit.Company(t, s.DB, s.ID, s.Owner, "team"))
	pass, err = s.visitors.Unlock(t.Context(), open, "pw",
		visitor.Guard{Allow: func() error { return slow }, Failed: func() error { return slow }})
	if err != nil || pass != "" || !s.visitors.Admits(open, pass) {
		t.Errorf("a link without a password gives %q, %v", pass, err)
	}
}

func TestPassesOutliveARotationAndNothingElse(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company := testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	_, link := s.link(t, s.Owner, "pw", company)
	_, another := s.link(t, s.Owner, "pw", company)
	pass, err := s.visitors.Unlock(t.Context(), link, "pw", allowed())
	if err != nil {
		t.Fatal(err)
	}
	if !s.other("a newer secret", "the secret").Admits(link, pass) {
		t.Error("a rotation of the secrets ends a pass")
	}
	if s.other("a newer secret").Admits(link, pass) || s.visitors.Admits(another, pass) {
		t.Error("a pass opens another link")
	}
	s.now = s.now.Add(visitor.PassLifetime + time.Second)
	if s.visitors.Admits(link, pass) {
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
		page, err := s.visitors.Open(t.Context(), link, "", true)
		if err != nil || len(page.Companies) != want || page.Maker != "Mia Member" || page.Account != "Northwind Ventures" {
			t.Errorf("%s: %+v, %v; want %d companies", what, page, err, want)
		}
	}
	count("at first", 2)
	testkit.Exec(t, s.URL, "DELETE FROM company_shares")
	count("without the share", 1)
	testkit.Exec(t, s.URL, "UPDATE companies SET visibility = 'private' WHERE id = $1", team)
	count("when all are private", 0)
	listed, err := s.shares.Get(t.Context(), postgres.AsUser(s.Member), s.ID, made.ID)
	if err != nil || listed.ViewCount != 2 || len(listed.Companies) != 1 || listed.Companies[0].CompanyID != private {
		t.Errorf("the maker is told %+v, %v", listed, err)
	}
	testkit.Exec(t, s.URL, "DELETE FROM memberships WHERE user_id = $1", s.Member)
	_, err = s.visitors.Open(t.Context(), link, "", true)
	wantKind(t, "after the maker left", err, fault.NotFound)
	_, err = s.visitors.Find(t.Context(), made.ShortCode)
	wantKind(t, "to find it then", err, fault.NotFound)
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
		page, err := s.visitors.Open(t.Context(), link, "", false)
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
	page, err := s.visitors.Open(t.Context(), link, "", false)
	if err != nil || len(page.Companies[0].Notes) != 2*100000 {
		t.Errorf("%d bytes of notes, %v", len(page.Companies[0].Notes), err)
	}
}
